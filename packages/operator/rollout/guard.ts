import { annotationKeys, isAnnotated, type MySQLCluster } from "@moco-ts/api";
import { retry, type Clock } from "@moco-ts/base";
import {
  isConflict,
  keyOf,
  StatefulSets,
  type Applier,
  type Client,
  type Configuration,
  type StatefulSet,
} from "@moco-ts/kube";
import type { Announcements } from "./announcements.ts";
import { applyPartition, partitionOf } from "./partition.ts";

export interface GuardTools {
  /** Writes only while this replica leads. */
  readonly client: Client;
  /** The one that the StatefulSet is applied with. */
  readonly applier: Pick<Applier, "preview">;
  readonly announcements: Announcements;
  readonly clock: Clock;
}

/**
 * Changes a StatefulSet so that Kubernetes replaces no Pod by itself, even if the webhook that sees to it is away: the
 * partition is raised first, and the change is made to no other version of the StatefulSet than the one for which that
 * holds. Pods that are added at the same time are below the partition too: they come with the template that the others
 * have. If it fails, the partition stays raised until it succeeds, or is not wanted any more.
 */
export async function guarded<T>(
  tools: GuardTools,
  cluster: MySQLCluster,
  live: StatefulSet | undefined,
  wanted: Configuration<StatefulSet>,
  signal: AbortSignal,
  apply: (resourceVersion: string | undefined) => Promise<T>,
): Promise<T> {
  const { announcements, clock } = tools;
  const key = keyOf(cluster);
  let applied: T;
  if (live !== undefined && hasToBeGuarded(tools, live, wanted)) {
    announcements.announce(key);
    // Kubernetes' own controller writes the status as soon as the partition is another.
    const patience = { initial: 10, maximum: 200, attempts: 10, retryable: isConflict, clock, signal };
    applied = await retry(patience, async () => apply(await raisePartition(tools, live, wanted, signal)));
  } else {
    applied = await apply(undefined);
  }
  announcements.withdraw(key);
  return applied;
}

function hasToBeGuarded({ applier }: GuardTools, live: StatefulSet, wanted: Configuration<StatefulSet>): boolean {
  if (isForced(wanted as StatefulSet)) return false;
  return isForced(live) || applier.preview(StatefulSets, wanted, live).some((path) => path.startsWith(".spec"));
}

/** Returns the version of the StatefulSet that has it. */
async function raisePartition(
  tools: GuardTools,
  { metadata }: StatefulSet,
  wanted: Configuration<StatefulSet>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const key = { namespace: metadata?.namespace, name: metadata?.name ?? "" };
  const current = await tools.client.get(StatefulSets, key, { signal });
  // What it was seen to lack was old: in the middle of an update, Pods would be taken back to the older template.
  if (!hasToBeGuarded(tools, current, wanted)) return current.metadata?.resourceVersion;
  const partition = Math.max(current.spec?.replicas ?? 1, wanted.spec?.replicas ?? 1);
  if (partitionOf(current) >= partition) return current.metadata?.resourceVersion;
  return (await applyPartition(tools.client, current, partition, signal)).metadata?.resourceVersion;
}

function isForced(statefulSet: StatefulSet): boolean {
  return isAnnotated(statefulSet, annotationKeys.forceRollingUpdate);
}
