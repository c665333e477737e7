import { annotationKeys, conditionTypes, containerNames, isAnnotated, type MySQLCluster } from "@moco-ts/api";
import type { Pod, StatefulSet } from "@moco-ts/kube";
import { instanceOrdinal } from "../pods.ts";
import { problemOf } from "./pod-problem.ts";
import type { ClusterView, Member, Snapshot, StatefulSetView } from "./snapshot.ts";

/** By which the StatefulSet's controller says what a Pod was made from. */
const revisionLabel = "controller-revision-hash";

export interface Observed {
  readonly cluster: MySQLCluster;
  readonly statefulSet: StatefulSet;
  /** By ordinal. */
  readonly pods: readonly Pod[];
}

export function snapshotOf({ cluster, statefulSet, pods }: Observed, now: number): Snapshot {
  const set = statefulSetView(statefulSet);
  const members = pods.map(memberOf).filter(({ ordinal }) => ordinal < set.replicas);
  return { now, cluster: clusterView(cluster), set, members };
}

export function partitionOf({ spec }: StatefulSet): number {
  return spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
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
  return {
    ordinal: instanceOrdinal(pod),
    name: metadata?.name ?? "",
    uid: metadata?.uid ?? "",
    revision: metadata?.labels?.[revisionLabel],
    terminating: metadata?.deletionTimestamp !== undefined,
    readySince: isReady ? since : undefined,
    // The kubelet has said so since the Pod was there, or has changed its mind.
    lostReadiness: ready !== undefined && !isReady && since > timeOf(initialized?.lastTransitionTime),
    running:
      status?.containerStatuses?.find(({ name }) => name === containerNames.mysqld)?.state?.running !== undefined,
    problem: problemOf(pod),
    protected: isAnnotated(pod, annotationKeys.preventDelete),
    demoting: isAnnotated(pod, annotationKeys.demote),
  };
}

function timeOf(time: string | undefined): number {
  return time === undefined ? 0 : Date.parse(time);
}
