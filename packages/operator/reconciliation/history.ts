import type { ConfigMap, PodSpec } from "@moco-ts/kube";

/**
 * Which of the ConfigMaps that were made one after the other are kept: the newest `limit`, and whatever Pods may still
 * mount, however old it is.
 */
export function keptConfigMaps(
  made: readonly ConfigMap[],
  limit: number,
  current: string | undefined,
  pods: readonly (PodSpec | undefined)[],
): string[] {
  const mounted = pods.flatMap((spec) => spec?.volumes ?? []).map(({ configMap }) => configMap?.name);
  const needed = new Set([current, ...mounted]);
  const names = [...made]
    .sort((one, other) => age(other).localeCompare(age(one)))
    .map(({ metadata }) => metadata?.name ?? "")
    .sort((one, other) => Number(needed.has(other)) - Number(needed.has(one)));
  const count = names.filter((name) => needed.has(name)).length;
  return names.slice(0, Math.max(limit, count));
}

function age({ metadata }: ConfigMap): string {
  return metadata?.creationTimestamp ?? "";
}
