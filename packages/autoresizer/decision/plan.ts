/** What is to be done about a claim, with a reason that a person can read. */
export type Plan =
  /** It is not ours to manage. */
  { readonly kind: "ignore"; readonly reason: string } | TargetPlan;

/** The same for a claim that is ours to manage. */
export type TargetPlan =
  /** All is well, or nothing can be done: `problem` says what somebody should look at. */
  | (Decided & { readonly kind: "keep" })
  /** A resize is under way, or it is too early for one. */
  | (Decided & { readonly kind: "wait" })
  | ResizePlan;

/** Ask for `request` bytes. If that is what is asked for already, ask once more. */
export type ResizePlan = Decided & { readonly kind: "resize"; readonly request: bigint };

interface Decided {
  readonly reason: string;
  readonly problem?: Problem | undefined;
  /** A resize was asked for, and as far as can be seen it has not ended. */
  readonly resizing?: boolean;
  /** Which of the claim's counters goes up. */
  readonly counts?: "limitReached" | "failed";
}

/** Something that a person should look at. The name is the reason of an Event and the label of a metric. */
export interface Problem {
  readonly name: "LimitReached" | "InvalidAnnotation" | "NotExpandable" | "ResizeFailed" | "ResizeStuck";
  /** For people. */
  readonly message: string;
  /** What makes it another problem than before, although its name is the same. Default: nothing. */
  readonly about?: string;
}
