import { abortReason } from "./abort.ts";

/**
 * Time as a parameter. Everything that waits or compares times takes a Clock, so that tests and simulations decide
 * when time passes.
 */
export interface Clock {
  /** Wall-clock time in milliseconds since the epoch: for people and API objects. It may jump. */
  now(): number;
  /** Milliseconds since some fixed moment, never going back: for deadlines and durations. */
  monotonic(): number;
  /** Calls back once after `milliseconds`; the returned function cancels it. */
  schedule(milliseconds: number, callback: () => void): () => void;
}

/** Longer waits overflow setTimeout's 32 bits and would fire at once. */
const longestTimeout = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(milliseconds, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(milliseconds, 0), longestTimeout));
    return () => clearTimeout(timer);
  },
};

/** Resolves after `milliseconds`; rejects with the signal's reason as soon as it is aborted. */
export function sleep(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortReason(signal));
    const onAbort = (): void => {
      cancel();
      reject(abortReason(signal!));
    };
    const cancel = clock.schedule(milliseconds, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
