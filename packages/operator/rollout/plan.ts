import type { Member } from "./snapshot.ts";

/** What a rolling update comes to now, with a reason for people. */
export type Plan =
  /** All Pods are of the newest revision. */
  | { readonly kind: "done"; readonly reason: string }
  | {
      readonly kind: "wait";
      readonly reason: string;
      /** When to look again though nothing changes. */
      readonly until?: number;
      /** Over in a moment: not worth telling. */
      readonly brief: boolean;
    }
  | {
      readonly kind: "step";
      readonly reason: string;
      readonly partition: number;
      /** Whether a member that works is taken down, so that others may have to go first. */
      readonly disrupts: boolean;
    }
  /** The primary's Pod is next: another instance has to be the primary first. */
  | { readonly kind: "switchover-first"; readonly reason: string; readonly pod: Member }
  /** Kubernetes waits for others before it replaces this Pod, which they wait for. */
  | { readonly kind: "delete-stuck-pod"; readonly reason: string; readonly pod: Member }
  /** An updated Pod fails, so that no other one is touched. */
  | { readonly kind: "stopped"; readonly reason: string; readonly pod: Member };
