import {
  annotationKeys,
  clusterStates,
  conditionTypes,
  formatTime,
  isAnnotated,
  ordinalOf,
  type ClusterState,
  type MySQLCluster,
} from "@moco-ts/api";
import type { Answers } from "../instances/report.ts";
import type { ClusterView } from "../model.ts";
import type { ClusterObjects } from "../objects.ts";
import { eventsOf } from "./events.ts";
import { findingsOf } from "./findings.ts";
import { instancesOf } from "./instances.ts";
import { isReady } from "./pod-status.ts";
import { rolloutOf } from "./rollout.ts";
import { volumesOf } from "./volumes.ts";

/** How many of the last events are kept. */
const eventCount = 10;

/** Puts together what the API server has and what the instances say. Pure and total: what is missing is left out. */
export function assembleView(objects: ClusterObjects, answers: Answers, now: number): ClusterView {
  const view = factsOf(objects, answers, now);
  return { ...view, findings: findingsOf(view) };
}

function factsOf(objects: ClusterObjects, answers: Answers, now: number): Omit<ClusterView, "findings"> {
  const { cluster, statefulSet, problems } = objects;
  const { metadata, spec, status } = cluster;
  const pods = new Map(objects.pods.flatMap((pod) => indexed(pod.metadata?.name, pod)));
  const state = stateOf(cluster);
  const acknowledgements = acknowledgementsOf(cluster);
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    time: formatTime(now),
    ...(state && { state }),
    offline: spec.offline ?? false,
    stopped: {
      clustering: isAnnotated(cluster, annotationKeys.clusteringStopped),
      reconciliation: isAnnotated(cluster, annotationKeys.reconciliationStopped),
    },
    replicas: spec.replicas,
    readyReplicas: [...pods.values()].filter(isReady).length,
    ...(status?.currentPrimaryIndex !== undefined && { primary: status.currentPrimaryIndex }),
    ...(spec.replicationSourceSecretName && { replicationSource: spec.replicationSourceSecretName }),
    ...(acknowledgements && { acknowledgements }),
    ...instancesOf(cluster, pods, answers, statefulSet?.status?.updateRevision),
    conditions: (status?.conditions ?? []).map(({ type, status, reason, message, lastTransitionTime }) => ({
      type,
      status,
      reason,
      message,
      since: lastTransitionTime,
    })),
    rollout: rolloutOf(cluster, statefulSet, pods),
    volumes: volumesOf(cluster, objects.claims),
    ...backupOf(cluster),
    events: eventsOf(objects.events, eventCount),
    problems,
  };
}

function indexed<T>(name: string | undefined, value: T): [number, T][] {
  const index = ordinalOf(name ?? "");
  return index === undefined ? [] : [[index, value]];
}

function stateOf({ spec, status }: MySQLCluster): ClusterState | undefined {
  if (spec.offline) return "Offline";
  const reason = status?.conditions?.find(({ type }) => type === conditionTypes.healthy)?.reason;
  return clusterStates.find((state) => state === reason);
}

function acknowledgementsOf({ status }: MySQLCluster): ClusterView["acknowledgements"] {
  if (!status?.clustering) return undefined;
  const { acknowledgements, voters } = status.clustering;
  return { required: acknowledgements, voters: voters.length };
}

function backupOf({ status }: MySQLCluster): Pick<ClusterView, "backup"> {
  const { time, elapsed, warnings } = status?.backup ?? {};
  return time ? { backup: { time, ...(elapsed && { elapsed }), warnings: warnings ?? [] } } : {};
}
