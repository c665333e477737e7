import { setTimeout as delay } from "node:timers/promises";

export interface WaitOptions {
  /** What is waited for, as it reads after "timed out waiting for". */
  what: string;
  /** Milliseconds. Default: 60,000. */
  timeout?: number;
  /** Milliseconds between two tries. Default: 50. */
  interval?: number;
  signal?: AbortSignal;
}

/** Calls `probe` until it returns something else than undefined or false. A probe that throws ends the wait. */
export async function waitFor<T>(
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  options: WaitOptions,
): Promise<T> {
  const { what, timeout = 60_000, interval = 50, signal } = options;
  const deadline = performance.now() + timeout;
  for (;;) {
    const result = await probe();
    if (result !== undefined && result !== false) {
      return result;
    }
    if (performance.now() > deadline) {
      throw new Error(`timed out waiting for ${what} after ${Math.round(timeout / 1000)} s`);
    }
    await delay(interval, undefined, { signal });
  }
}
