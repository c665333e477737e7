import { CodedError } from "@moco-ts/base";

/** What may only be done by the leader was about to be done by somebody else. `code` is NOT_LEADING or LEADERSHIP_LOST. */
export class LeadershipError extends CodedError {}

/**
 * The right to act, as those who act see it.
 *
 * Timers fire late in a process that was frozen, so that nothing that a timer does can keep it from acting on an old
 * right when it wakes. What may only be done by the leader asks here, synchronously, right before it is done.
 */
export interface Leadership {
  /** True while no other candidate can have taken over. */
  isHeld(): boolean;
  /** Throws a LeadershipError if it is not held; if it was held before, it is lost from then on and `lost` is aborted. */
  assertHeld(): void;
  /** Aborted, with a LeadershipError as its reason, when the leadership is lost. The process must end then. */
  readonly lost: AbortSignal;
}
