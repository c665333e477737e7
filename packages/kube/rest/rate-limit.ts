import { sleep, type Clock } from "@moco-ts/base";

export interface RateLimitOptions {
  /** Requests per second in the long run. */
  readonly qps: number;
  /** How many may go at once after a quiet time. */
  readonly burst: number;
  readonly clock: Clock;
}

/** A token bucket that serves in order of arrival. */
export class RateLimiter {
  readonly #options: RateLimitOptions;
  #tokens: number;
  #filledAt: number;

  constructor(options: RateLimitOptions) {
    this.#options = options;
    this.#tokens = options.burst;
    this.#filledAt = options.clock.monotonic();
  }

  /** Resolves when the caller may go. Whoever gives up while waiting frees the place for those behind. */
  async acquire(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { qps, burst, clock } = this.#options;
    const now = clock.monotonic();
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#filledAt) / 1000) * qps);
    this.#filledAt = now;
    // Tokens below zero are places in the queue that are already given away.
    this.#tokens -= 1;
    if (this.#tokens >= 0) return;
    try {
      await sleep(clock, (-this.#tokens / qps) * 1000, signal);
    } catch (error) {
      this.#tokens += 1;
      throw error;
    }
  }
}
