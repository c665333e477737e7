import {
  annotationKeys,
  clusterKeyOf,
  clusterLabels,
  conditionTypes,
  containerNames,
  formatSelector,
  isAnnotated,
  MySQLClusters,
  namesOf,
  type MySQLCluster,
} from "@moco-ts/api";
import {
  controllerOf,
  isNotFound,
  keyOf,
  Pods,
  StatefulSets,
  type Client,
  type Key,
  type Pod,
  type StatefulSet,
} from "@moco-ts/kube";
import type { Caches } from "../caches.ts";
import { clusterOf, instanceOrdinal, podsOf } from "../pods.ts";
import { isIncomplete } from "../volume/replacement.ts";
import { partitionOf } from "./partition.ts";
import { problemOf } from "./pod-problem.ts";
import type { ClusterView, Member, Snapshot, StatefulSetView } from "./snapshot.ts";

/** By which the StatefulSet's controller says what a Pod was made from. */
const revisionLabel = "controller-revision-hash";

export interface Observed {
  readonly cluster: MySQLCluster;
  readonly statefulSet: StatefulSet;
  readonly pods: readonly Pod[];
}

/** As copies have it. Undefined if there is nothing to update. */
export function observe(caches: Pick<Caches, "clusters" | "statefulSets" | "pods">, key: Key): Observed | undefined {
  const cluster = caches.clusters.cache.get(key);
  if (cluster === undefined || cluster.metadata.deletionTimestamp !== undefined) return undefined;
  const { namespace } = cluster.metadata;
  const { statefulSet: name } = namesOf(clusterKeyOf(cluster));
  const statefulSet = caches.statefulSets.cache.get(keyOf({ namespace, name }));
  if (statefulSet === undefined || controllerOf(statefulSet)?.uid !== cluster.metadata.uid) return undefined;
  return { cluster, statefulSet, pods: podsOf(caches, cluster) };
}

/** The same as the API server has it, for what can't be undone: copies may be old. Undefined if it is gone. */
export async function observeLive(
  client: Client,
  { cluster: known }: Observed,
  signal: AbortSignal,
): Promise<Observed | undefined> {
  const { name, namespace } = known.metadata;
  try {
    const cluster = await client.get(MySQLClusters, { namespace, name }, { signal });
    const statefulSetKey = { namespace, name: namesOf(clusterKeyOf(cluster)).statefulSet };
    const statefulSet = await client.get(StatefulSets, statefulSetKey, { signal });
    // Last, since nothing guards against their changes.
    const labelSelector = formatSelector(clusterLabels(name));
    const { items: pods } = await client.list(Pods, { namespace, labelSelector, signal });
    return { cluster, statefulSet, pods };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

export function snapshotOf({ cluster, statefulSet, pods }: Observed, now: number): Snapshot {
  const set = statefulSetView(statefulSet);
  const members = pods
    .filter((pod) => clusterOf(pod).length > 0)
    .map(memberOf)
    .filter(({ ordinal }) => ordinal < set.replicas)
    .sort((one, other) => one.ordinal - other.ordinal);
  return { now, cluster: clusterView(cluster), set, members };
}

function clusterView(cluster: MySQLCluster): ClusterView {
  const { metadata, status } = cluster;
  const condition = (type: string) => status?.conditions?.find((each) => each.type === type);
  const initialized = condition(conditionTypes.initialized);
  return {
    name: metadata.name,
    stopped: isAnnotated(cluster, annotationKeys.reconciliationStopped),
    reconciled: status?.reconcileInfo?.generation === metadata.generation,
    initialized: initialized && initialized.status !== "Unknown" ? initialized.status === "True" : undefined,
    reported: status?.clustering?.revision === status?.observedClusteringRevision,
    healthy: condition(conditionTypes.healthy)?.status === "True",
    state: condition(conditionTypes.healthy)?.reason,
    primary: status?.currentPrimaryIndex ?? 0,
  };
}

function statefulSetView(statefulSet: StatefulSet): StatefulSetView {
  const { metadata, spec, status } = statefulSet;
  return {
    replicas: spec?.replicas ?? 1,
    partition: partitionOf(statefulSet),
    observed: status?.observedGeneration === metadata?.generation && metadata?.deletionTimestamp === undefined,
    remade: isIncomplete(statefulSet),
    forced: isAnnotated(statefulSet, annotationKeys.forceRollingUpdate),
    updateRevision: status?.updateRevision,
    currentRevision: status?.currentRevision,
  };
}

function memberOf(pod: Pod): Member {
  const { metadata, status } = pod;
  const condition = (type: string) => status?.conditions?.find((each) => each.type === type);
  const [ready, initialized] = [condition("Ready"), condition("Initialized")];
  const isReady = ready?.status === "True";
  const since = timeOf(ready?.lastTransitionTime);
  const mysqld = status?.containerStatuses?.find(({ name }) => name === containerNames.mysqld);
  return {
    ordinal: instanceOrdinal(pod),
    name: metadata?.name ?? "",
    uid: metadata?.uid ?? "",
    revision: metadata?.labels?.[revisionLabel],
    terminating: metadata?.deletionTimestamp !== undefined,
    readySince: isReady ? since : undefined,
    // The kubelet has said so since the Pod was there, or has changed its mind.
    lostReadiness: ready !== undefined && !isReady && since > timeOf(initialized?.lastTransitionTime),
    running: mysqld !== undefined && mysqld.state?.waiting === undefined,
    problem: problemOf(pod),
    protected: isAnnotated(pod, annotationKeys.preventDelete),
    demoting: isAnnotated(pod, annotationKeys.demote),
  };
}

function timeOf(time: string | undefined): number {
  return time === undefined ? 0 : Date.parse(time);
}
