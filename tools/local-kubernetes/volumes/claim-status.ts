import type { PersistentVolumeClaim, PersistentVolumeClaimCondition, PersistentVolumeClaimStatus } from "@moco-ts/kube";

/** Stages of an expansion, as status.allocatedResourceStatuses has them. */
export const stages = {
  inProgress: "ControllerResizeInProgress",
  infeasible: "ControllerResizeInfeasible",
  pendingOnNode: "NodeResizePending",
};

export function stageOf(claim: PersistentVolumeClaim): string | undefined {
  return claim.status?.allocatedResourceStatuses?.["storage"];
}

const resizeConditions = ["Resizing", "FileSystemResizePending", "ControllerResizeError", "NodeResizeError"];

/** A merge patch of a claim's status. null removes a field. */
export type StatusPatch = Omit<PersistentVolumeClaimStatus, "allocatedResourceStatuses"> & {
  allocatedResourceStatuses?: Record<string, string | null>;
};

/** The expansion has been taken on. */
export function expansionStarted(claim: PersistentVolumeClaim, capacity: string, now: string): StatusPatch {
  return {
    allocatedResources: { storage: capacity },
    allocatedResourceStatuses: { storage: stages.inProgress },
    conditions: withResizeConditions(claim, [{ type: "Resizing", status: "True", lastTransitionTime: now }]),
  };
}

/** An attempt has failed. It goes on, unless that makes no sense. */
export function expansionFailed(
  claim: PersistentVolumeClaim,
  message: string,
  infeasible: boolean,
  now: string,
): StatusPatch {
  const error = { type: "ControllerResizeError", status: "True", lastTransitionTime: now, message };
  const kept = (claim.status?.conditions ?? []).filter((condition) => condition.type === "Resizing");
  return {
    ...(infeasible && { allocatedResourceStatuses: { storage: stages.infeasible } }),
    conditions: withResizeConditions(claim, [...kept, error]),
  };
}

/** Whether a failure has been recorded already. */
export function hasFailed(claim: PersistentVolumeClaim, message: string): boolean {
  const conditions = claim.status?.conditions ?? [];
  return conditions.some((condition) => condition.type === "ControllerResizeError" && condition.message === message);
}

/** The disk could grow, but the file system has to wait for another pod. */
export function expansionPending(claim: PersistentVolumeClaim, now: string): StatusPatch {
  const message = "Waiting for user to (re-)start a pod to finish file system resize of volume on node.";
  const pending = { type: "FileSystemResizePending", status: "True", lastTransitionTime: now, message };
  return {
    allocatedResourceStatuses: { storage: stages.pendingOnNode },
    conditions: withResizeConditions(claim, [pending]),
  };
}

export function expansionFinished(claim: PersistentVolumeClaim, capacity: string): StatusPatch {
  return {
    capacity: { storage: capacity },
    allocatedResourceStatuses: { storage: null },
    conditions: withResizeConditions(claim, []),
  };
}

/** Conditions that others set stay. */
function withResizeConditions(
  claim: PersistentVolumeClaim,
  conditions: PersistentVolumeClaimCondition[],
): PersistentVolumeClaimCondition[] {
  const others = (claim.status?.conditions ?? []).filter(({ type }) => !resizeConditions.includes(type));
  return [...others, ...conditions];
}
