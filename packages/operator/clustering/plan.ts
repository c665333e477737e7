import type { ClusterState, Role } from "@moco-ts/api";
import type { Memory } from "./snapshot.ts";

/** What to do now. Afterwards everything is looked at anew. */
export interface Plan {
  readonly state: ClusterState;
  /** For people: why this and nothing else. */
  readonly reason: string;
  readonly errant: readonly number[];
  /** server_uuids that look errant and are looked at a second time before anything is done. */
  readonly suspects: readonly string[];
  /** Done one after the other. If one fails, those that follow are left; changes of voters come after all else. */
  readonly steps: readonly Step[];
  /** Done after the steps, side by side for each instance: one that fails holds up no other. */
  readonly perInstance: readonly InstanceSteps[];
  /** Done then, even if steps failed. */
  readonly labels: readonly PodStep[];
  /** Look again after so many milliseconds though nothing has changed. Undefined: at the next regular check. */
  readonly again: number | undefined;
}

export interface InstanceSteps {
  readonly ordinal: number;
  readonly uuid: string;
  readonly steps: readonly InstanceStep[];
}

/** Something about the cluster as a whole. */
export type Step =
  /** Begin to remember. */
  | { readonly kind: "remember"; readonly memory: Memory }
  | { readonly kind: "failover"; readonly evidence: string }
  | { readonly kind: "switchover"; readonly to: number; readonly reason: string }
  /** Clone the replication source's data into the primary. */
  | { readonly kind: "clone-source" }
  /** Make the primary wait for more acknowledgements, and remember it once enough voters have everything. */
  | { readonly kind: "raise"; readonly acknowledgements: number }
  /** Let an instance vote: remember it once it has received everything. */
  | { readonly kind: "admit"; readonly ordinal: number; readonly uuid: string }
  /** A voter that can't acknowledge any more is forgotten once enough others have everything. */
  | { readonly kind: "dismiss"; readonly uuid: string; readonly reason: string }
  /** Cut the primary's clients off: it could tell them of commits that nobody else has. */
  | { readonly kind: "close"; readonly reason: string }
  | { readonly kind: "prepare-primary" }
  | { readonly kind: "open" }
  | { readonly kind: "nudge" }
  /** The primary replicates from outside. `problem`: what ended it before. */
  | { readonly kind: "follow-source"; readonly problem: string | undefined };

/** Something about one instance that is not the primary. */
export type InstanceStep =
  /** Whoever is not the primary takes no writes and waits for no acknowledgements. */
  | { readonly kind: "stand-down" }
  | { readonly kind: "leave-offline-mode" }
  | { readonly kind: "enforce-settings" }
  | { readonly kind: "isolate" }
  | { readonly kind: "make-empty" }
  | { readonly kind: "clone" }
  | { readonly kind: "start-applier" }
  | { readonly kind: "follow"; readonly acknowledge: boolean; readonly how: "attach" | "repoint" | "restart" };

export type PodStep =
  | { readonly kind: "label"; readonly ordinal: number; readonly role: Role | undefined }
  | { readonly kind: "prevent-delete"; readonly ordinal: number; readonly prevent: boolean }
  /** The request to demote has been met, or is none of the primary's. */
  | { readonly kind: "forget-requests"; readonly ordinal: number }
  /** Nobody waits any more for those who have ended by the word of a person. */
  | { readonly kind: "forget-ended" };

/** Writers wait for it: that the cluster was not well is told when they no longer have to. */
export function isUrgent({ steps }: Plan): boolean {
  return steps.some(({ kind }) => kind === "failover" || kind === "switchover" || kind === "open");
}

/** Something is done to an instance, or to all. */
export function isActive({ steps, perInstance }: Plan): boolean {
  return steps.length + perInstance.length > 0;
}

/** Writers wait for the next look, and for what will be done then. */
export function isAwaited(plan: Plan): boolean {
  const isServed = plan.state === "Healthy" || plan.state === "Degraded";
  return isUrgent(plan) || (isActive(plan) && !isServed);
}
