import { CodedError, toError } from "./errors.ts";
import type { Clock } from "./clock.ts";

/** A deadline passed. `code` is DEADLINE_EXCEEDED. */
export class DeadlineError extends CodedError {
  constructor(what: string, milliseconds: number) {
    super("DEADLINE_EXCEEDED", `${what} took longer than ${milliseconds} ms`);
  }
}

/** The reason of an aborted signal, always as an Error. */
export function abortReason(signal: AbortSignal): Error {
  return toError(signal.reason);
}

/** True for what an aborted operation throws: the signal's own reason, or the platform's AbortError. */
export function isAbort(error: unknown, signal?: AbortSignal): boolean {
  if (signal?.aborted && (error === signal.reason || (error instanceof Error && error.cause === signal.reason))) {
    return true;
  }
  return error instanceof Error && error.name === "AbortError";
}

/**
 * Runs `operation` with a signal that is aborted by `parent` or after `milliseconds`, and rejects at that moment even
 * if the operation ignores its signal: a wait on a frozen peer must never outlive its deadline.
 */
export async function withDeadline<T>(
  options: { what: string; milliseconds: number; clock: Clock; signal?: AbortSignal | undefined },
  operation: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { what, milliseconds, clock, signal: parent } = options;
  parent?.throwIfAborted();
  const controller = new AbortController();
  const onParentAbort = (): void => controller.abort(parent!.reason);
  parent?.addEventListener("abort", onParentAbort, { once: true });
  const cancel = clock.schedule(milliseconds, () => controller.abort(new DeadlineError(what, milliseconds)));
  try {
    return await raceAbort(operation(controller.signal), controller.signal);
  } finally {
    cancel();
    parent?.removeEventListener("abort", onParentAbort);
  }
}

/** The promise's outcome, or the signal's reason if that comes first. */
export function raceAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(abortReason(signal));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
