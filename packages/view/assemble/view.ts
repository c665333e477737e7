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
import { findingsOf, type Facts } from "./findings.ts";
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

function factsOf(objects: ClusterObjects, answers: Answers, now: number): Facts {
  const { cluster, claims, events, problems } = objects;
  const { metadata, spec, status } = cluster;
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
    ...(status?.currentPrimaryIndex !== undefined && { primary: status.currentPrimaryIndex }),
    ...(spec.replicationSourceSecretName && { replicationSource: spec.replicationSourceSecretName }),
    ...(acknowledgements && { acknowledgements }),
    ...podFacts(objects, answers),
    conditions: (status?.conditions ?? []).map(({ type, status, reason, message, lastTransitionTime }) => ({
      type,
      status,
      reason,
      message,
      since: lastTransitionTime,
    })),
    ...(claims && { volumes: volumesOf(cluster, claims) }),
    ...backupOf(cluster),
    ...(events && { events: eventsOf(events, eventCount) }),
    problems,
  };
}

function podFacts(
  { cluster, pods, statefulSets }: ClusterObjects,
  answers: Answers,
): Pick<ClusterView, "readyReplicas" | "instances" | "gapsAgainst" | "rollout"> {
  if (!pods) return {};
  const byIndex = new Map(pods.flatMap((pod) => indexed(pod.metadata?.name, pod)));
  const statefulSet = statefulSets?.[0];
  return {
    readyReplicas: [...byIndex.values()].filter(isReady).length,
    ...instancesOf(cluster, byIndex, answers, statefulSet?.status?.updateRevision),
    ...(statefulSets && { rollout: rolloutOf(cluster, statefulSet, byIndex) }),
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
