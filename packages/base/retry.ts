import { backoffDelay, type BackoffOptions } from "./backoff.ts";
import { sleep, type Clock } from "./clock.ts";

export interface RetryOptions extends BackoffOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** Give up after this many attempts. Default: never. */
  readonly attempts?: number;
  /** Which failures are worth another attempt. Default: all. */
  readonly retryable?: (error: unknown) => boolean;
  /** Told before each wait: a failing step says which and why. */
  readonly onRetry?: (error: unknown, waitMilliseconds: number, attempt: number) => void;
}

/** Calls `operation` until it succeeds, backing off in between; an abort ends it at once with the signal's reason. */
export async function retry<T>(options: RetryOptions, operation: (attempt: number) => Promise<T>): Promise<T> {
  const { clock, signal, attempts = Infinity, retryable = () => true } = options;
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    try {
      return await operation(attempt);
    } catch (error) {
      signal?.throwIfAborted();
      if (attempt >= attempts || !retryable(error)) throw error;
      const wait = backoffDelay(options, attempt);
      options.onRetry?.(error, wait, attempt);
      await sleep(clock, wait, signal);
    }
  }
}
