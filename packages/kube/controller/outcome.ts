import { CodedError, type DeadlineError } from "@moco-ts/base";
import type { EventContent } from "../events/correlate.ts";
import { LeadershipError } from "../lease/leadership.ts";
import { isConflict, KubeError } from "../rest/errors.ts";
import type { KubeObject } from "../types/object.ts";

/** An Event about an object, for its users to read. */
export interface ObjectEvent extends EventContent {
  readonly regarding: KubeObject;
}

/**
 * What a reconcile came to. Anything that went wrong is thrown instead.
 *
 * - `done`: all is as it should be; nothing happens until something changes.
 * - `requeueAfter`: look again after a while, whatever happens until then.
 * - `requeue`: not there yet, and nothing will tell when: look again soon, and less often each time.
 */
export type Outcome = { readonly events?: readonly ObjectEvent[] } & (
  | { readonly kind: "done" }
  | { readonly kind: "requeueAfter"; readonly milliseconds: number; readonly reason?: string }
  | { readonly kind: "requeue"; readonly reason?: string }
);

export const done: Outcome = { kind: "done" };

export function requeueAfter(milliseconds: number, reason?: string): Outcome {
  return { kind: "requeueAfter", milliseconds, ...(reason !== undefined && { reason }) };
}

export function requeue(reason?: string): Outcome {
  return { kind: "requeue", ...(reason !== undefined && { reason }) };
}

/** No attempt will ever succeed as things are: the key is looked at again only when something about it changes. */
export class TerminalError extends CodedError {}

/** An outcome, or what was thrown instead of one. */
export type Result =
  | Outcome
  /** Somebody else was faster: normal, and settled by the next attempt. */
  | { readonly kind: "conflict"; readonly error: unknown }
  | { readonly kind: "failed"; readonly error: unknown; readonly retryAfter: number }
  | { readonly kind: "timedOut"; readonly error: unknown }
  | { readonly kind: "terminal"; readonly error: unknown }
  /** Cut short by the end of the program or of the leadership: neither good nor bad. */
  | { readonly kind: "aborted" };

/** Tells thrown errors apart. `stopping`: the whole controller is; `deadline`: set if this reconcile's time is over. */
export function resultOf(error: unknown, stopping: boolean, deadline: DeadlineError | undefined): Result {
  if (stopping || findCause(error, (cause) => cause instanceof LeadershipError)) return { kind: "aborted" };
  if (deadline) return { kind: "timedOut", error: findCause(error, (cause) => cause === deadline) ? deadline : error };
  if (findCause(error, (cause) => cause instanceof TerminalError)) return { kind: "terminal", error };
  if (findCause(error, isConflict)) return { kind: "conflict", error };
  const asked = findCause(error, (cause) => cause instanceof KubeError && cause.retryAfter !== undefined);
  return { kind: "failed", error, retryAfter: (asked as KubeError | undefined)?.retryAfter ?? 0 };
}

/** Errors are wrapped on their way up to say what was being done. */
function findCause(error: unknown, matches: (cause: unknown) => boolean): unknown {
  for (let cause = error, depth = 0; cause !== undefined && depth < 10; depth++) {
    if (matches(cause)) return cause;
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return undefined;
}
