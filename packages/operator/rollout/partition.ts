import { StatefulSets, type Client, type StatefulSet } from "@moco-ts/kube";

/** The manager of partitions, and of what is said about rolling updates. */
export const rolloutManager = "moco-rollout";

/** Pods from this ordinal on are of the newest revision, or are replaced by Kubernetes. */
export function partitionOf({ spec }: StatefulSet): number {
  return spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
}

/** A copy with another partition. Undefined: without any. */
export function withPartition(statefulSet: StatefulSet, partition: number | undefined): StatefulSet {
  const spec = statefulSet.spec!;
  const { rollingUpdate, ...strategy } = spec.updateStrategy ?? {};
  const { partition: _, ...rest } = rollingUpdate ?? {};
  const replaced = partition === undefined ? rest : { ...rest, partition };
  const isEmpty = Object.keys(replaced).length === 0;
  return {
    ...statefulSet,
    spec: { ...spec, updateStrategy: isEmpty ? strategy : { ...strategy, rollingUpdate: replaced } },
  };
}

/** Sets the partition of the StatefulSet as it was read: rejects with a conflict if anything about it has changed since. */
export async function applyPartition(
  client: Client,
  { metadata }: StatefulSet,
  partition: number,
  signal: AbortSignal,
): Promise<StatefulSet> {
  const { name, namespace, uid, resourceVersion } = metadata ?? {};
  const configuration = {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name, namespace, uid, resourceVersion },
    spec: { updateStrategy: { rollingUpdate: { partition } } },
  };
  const options = { fieldManager: rolloutManager, force: true, signal };
  return client.apply(StatefulSets, configuration as StatefulSet, options);
}
