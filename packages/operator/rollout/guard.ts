import { annotationKeys, isAnnotated } from "@moco-ts/api";
import { StatefulSets, type Applier, type Client, type Configuration, type StatefulSet } from "@moco-ts/kube";
import { applyPartition, partitionOf } from "./partition.ts";

export interface GuardTools {
  /** Writes only while this replica leads. */
  readonly client: Client;
  /** The one that the StatefulSet is applied with. */
  readonly applier: Pick<Applier, "preview">;
}

/**
 * Before a changed StatefulSet is applied: keeps Kubernetes from replacing any Pod by itself, even if the webhook that does
 * the same is away. Pods that are added at the same time are below the partition too, so that they come with the template
 * that the others have. Returns the version of the StatefulSet for which that holds: the change must be made to no other.
 * Undefined if there is nothing to guard.
 */
export async function guardPods(
  { client, applier }: GuardTools,
  live: StatefulSet | undefined,
  wanted: Configuration<StatefulSet>,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (live === undefined || isForced(wanted as StatefulSet)) return undefined;
  const changesSpec = applier.preview(StatefulSets, wanted, live).some((path) => path.startsWith(".spec"));
  if (!changesSpec && !isForced(live)) return undefined;
  const { name = "", namespace } = live.metadata ?? {};
  const current = await client.get(StatefulSets, { namespace, name }, { signal });
  const partition = Math.max(current.spec?.replicas ?? 1, wanted.spec?.replicas ?? 1);
  const guarded =
    partitionOf(current) >= partition ? current : await applyPartition(client, current, partition, signal);
  return guarded.metadata?.resourceVersion;
}

function isForced(statefulSet: StatefulSet): boolean {
  return isAnnotated(statefulSet, annotationKeys.forceRollingUpdate);
}
