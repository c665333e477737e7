import type { Condition } from "@moco-ts/kube";

export const conditionTypes = {
  initialized: "Initialized",
  available: "Available",
  healthy: "Healthy",
  clusteringActive: "ClusteringActive",
  reconciliationActive: "ReconciliationActive",
  reconcileSuccess: "ReconcileSuccess",
  statefulSetReady: "StatefulSetReady",
  /** False if settings of the user's let a power failure lose acknowledged writes; else not there. */
  durable: "Durable",
  /** Whether all instances start; if not, why. */
  instancesStartable: "InstancesStartable",
  /** Whether the user's mysqld options do what they seem to. */
  optionsSound: "OptionsSound",
  /** Whether every volume has what its template asks for. */
  volumesResized: "VolumesResized",
  /** Whether a rolling update has stopped because an updated Pod fails; not there before the first one. */
  rolloutStopped: "RolloutStopped",
} as const;

/** States of a cluster; reasons of the conditions Initialized, Available and Healthy. */
export const clusterStates = [
  "Offline",
  "Cloning",
  "Restoring",
  "Healthy",
  "Degraded",
  "Failed",
  "Lost",
  "Incomplete",
] as const;

export type ClusterState = (typeof clusterStates)[number];

/** A condition without the time since when it is so. */
export type ConditionContent = Omit<Condition, "lastTransitionTime">;

export function clusteringActive(active: boolean): ConditionContent {
  return activity(conditionTypes.clusteringActive, "Clustering", active);
}

export function reconciliationActive(active: boolean): ConditionContent {
  return activity(conditionTypes.reconciliationActive, "Reconciliation", active);
}

export function reconcileSucceeded(observedGeneration: number): ConditionContent {
  const type = conditionTypes.reconcileSuccess;
  return { type, status: "True", reason: "ReconcileSuccess", message: "reconcile successfully", observedGeneration };
}

/** The message starts with the words that users know; what went wrong follows. */
export function reconcileFailed(observedGeneration: number, problem: string): ConditionContent {
  const message = problem === "" ? "reconcile failed" : `reconcile failed: ${problem}`;
  const type = conditionTypes.reconcileSuccess;
  return { type, status: "False", reason: "ReconcileFailed", message: shorten(message), observedGeneration };
}

/** Reasons of StatefulSetReady; the last one is spelled as scripts know it. */
export type StatefulSetReason =
  "StatefulSetReady" | "StatefulSetNotReady" | "StatefulSetNotFound" | "FaildToGetStatefulSet";

export function statefulSetReady(
  observedGeneration: number,
  reason: StatefulSetReason,
  message: string,
): ConditionContent {
  const status = reason === "StatefulSetReady" ? "True" : "False";
  return { type: conditionTypes.statefulSetReady, status, reason, message: shorten(message), observedGeneration };
}

/** Initialized, Available and Healthy as they follow from the state. */
export function stateCondition(
  type: "Initialized" | "Available" | "Healthy",
  status: "True" | "False" | "Unknown",
  state: ClusterState,
): ConditionContent {
  return { type, status, reason: state, message: `the current state is ${state}` };
}

/** The condition with the time since when its status is what it is. */
export function since(content: ConditionContent, previous: readonly Condition[] | undefined, now: number): Condition {
  const before = previous?.find(({ type }) => type === content.type);
  const unchanged = before !== undefined && before.status === content.status;
  const lastTransitionTime = unchanged ? before.lastTransitionTime : formatTime(now);
  return { ...content, lastTransitionTime };
}

/** Kubernetes' times of objects have whole seconds. */
export function formatTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/** Longer messages are refused by the API server. */
const longestMessage = 32_768;

function shorten(message: string): string {
  return message.length <= longestMessage ? message : `${message.slice(0, longestMessage - 1)}…`;
}

function activity(type: string, subject: "Clustering" | "Reconciliation", active: boolean): ConditionContent {
  const word = active ? "active" : "inactive";
  return {
    type,
    status: active ? "True" : "False",
    reason: `${subject}${active ? "Active" : "Inactive"}`,
    message: `${subject.toLowerCase()} is ${word}`,
  };
}
