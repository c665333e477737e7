import type { Configuration, PodTemplateSpec, StatefulSet } from "@moco-ts/kube";

/**
 * What is wanted, with the claim templates that there can be now, in the order in which they are. One that is not wanted
 * any more stays as long as Pods may have to be made with it: the API server takes no template of Pods that mounts
 * what no claim provides.
 */
export function withTemplatesInUse(
  wanted: Configuration<StatefulSet>,
  live: StatefulSet | undefined,
): Configuration<StatefulSet> {
  if (live === undefined) return wanted;
  const missing = new Map((wanted.spec?.volumeClaimTemplates ?? []).map((each) => [each.metadata?.name, each]));
  const present = (live.spec?.volumeClaimTemplates ?? []).flatMap((each) => {
    const name = each.metadata?.name;
    const replacement = missing.get(name) ?? (isInUse(live, name) ? each : undefined);
    missing.delete(name);
    return replacement ? [replacement] : [];
  });
  return { ...wanted, spec: { ...wanted.spec, volumeClaimTemplates: [...present, ...missing.values()] } };
}

/** In the middle of a rolling update, Pods of an older template may have to be made again. */
function isInUse({ metadata, spec, status }: StatefulSet, name: string | undefined): boolean {
  const isSeen = status?.observedGeneration === metadata?.generation;
  const isUpdated = isSeen && status?.currentRevision === status?.updateRevision;
  return !isUpdated || mounts(spec?.template, name);
}

function mounts(template: PodTemplateSpec | undefined, name: string | undefined): boolean {
  const { containers = [], initContainers = [] } = template?.spec ?? {};
  return [...containers, ...initContainers].some(({ volumeMounts = [], volumeDevices = [] }) =>
    [...volumeMounts, ...volumeDevices].some((each) => each.name === name),
  );
}
