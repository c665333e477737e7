import {
  clusteringActive,
  conditionTypes,
  since,
  stateCondition,
  type ClusterState,
  type ConditionContent,
  type MySQLCluster,
} from "@moco-ts/api";
import type { Configuration } from "@moco-ts/kube";
import type { Plan } from "./plan.ts";
import type { Snapshot } from "./snapshot.ts";

/** The manager of what clustering says about clusters, and of what it must not forget. */
export const clusteringManager = "moco-clustering";
export const recordManager = "moco-clustering-record";

/** The part of the status that belongs to clustering, without the record. */
export function statusOf(
  cluster: MySQLCluster,
  snapshot: Snapshot,
  plan: Plan,
  now: number,
): Configuration<MySQLCluster> {
  const { state, errant } = plan;
  const isAvailable = state === "Healthy" || state === "Degraded";
  const conditions = [
    stateCondition("Initialized", truth(isInitialized(cluster, state)), state),
    explained(stateCondition("Available", truth(isAvailable), state), isAvailable, plan.reason),
    explained(stateCondition("Healthy", truth(state === "Healthy"), state), state === "Healthy", plan.reason),
    clusteringActive(true),
    ...dangerCondition(snapshot),
  ];
  const revision = snapshot.memory?.revision;
  const isCloned = cluster.status?.cloned === true || (snapshot.wanted.intermediate && state !== "Cloning");
  return configuration(cluster, conditions, now, {
    syncedReplicas: snapshot.instances.filter(({ pod }) => pod?.ready).length,
    ...(errant.length > 0 && { errantReplicas: errant.length, errantReplicaList: [...errant] }),
    ...(revision !== undefined && { observedClusteringRevision: revision }),
    ...(isCloned && state !== "Offline" && { cloned: true }),
  });
}

/** While a person has stopped clustering, nobody knows how the cluster is. */
export function stoppedStatusOf(cluster: MySQLCluster, now: number): Configuration<MySQLCluster> {
  const { status } = cluster;
  const before = status?.conditions?.find(({ type }) => type === conditionTypes.initialized);
  const { lastTransitionTime: _, ...initialized } = before ?? { lastTransitionTime: "" };
  const unknown = (type: "Available" | "Healthy"): ConditionContent => ({
    ...clusteringActive(false),
    type,
    status: "Unknown",
  });
  const kept = "type" in initialized ? [initialized] : [];
  return configuration(cluster, [...kept, unknown("Available"), unknown("Healthy"), clusteringActive(false)], now, {
    ...(status?.syncedReplicas !== undefined && { syncedReplicas: status.syncedReplicas }),
    ...(status?.errantReplicas !== undefined && { errantReplicas: status.errantReplicas }),
    ...(status?.errantReplicaList !== undefined && { errantReplicaList: status.errantReplicaList }),
    ...(status?.cloned !== undefined && { cloned: status.cloned }),
  });
}

/** Started successfully for the first time, and not being filled with data. */
function isInitialized({ status }: MySQLCluster, state: ClusterState): boolean {
  if (state === "Cloning" || state === "Restoring") return false;
  const before = status?.conditions?.find(({ type }) => type === conditionTypes.initialized);
  return before?.status === "True" || state === "Healthy" || state === "Degraded";
}

/** The words that scripts know come first. */
function explained(condition: ConditionContent, isGood: boolean, reason: string): ConditionContent {
  return isGood ? condition : { ...condition, message: `${condition.message}: ${reason}` };
}

/** Settings of the user's by which a power failure loses acknowledged writes. */
function dangerCondition({ instances }: Snapshot): ConditionContent[] {
  const dangers = instances.flatMap(({ ordinal, state }) =>
    (state?.dangers ?? []).map((danger) => `${danger} (instance ${ordinal})`),
  );
  if (dangers.length === 0) return [];
  const message = `a power failure may lose acknowledged writes because of ${dangers.join(", ")}: set them to 1`;
  return [{ type: conditionTypes.durable, status: "False", reason: "UnsafeSettings", message }];
}

function truth(value: boolean): "True" | "False" {
  return value ? "True" : "False";
}

function configuration(
  { metadata, status }: MySQLCluster,
  contents: readonly ConditionContent[],
  now: number,
  fields: object,
): Configuration<MySQLCluster> {
  const conditions = contents.map((content) => since(content, status?.conditions, now));
  return { metadata: { name: metadata.name, namespace: metadata.namespace }, status: { conditions, ...fields } };
}
