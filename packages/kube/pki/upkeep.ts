import { backoffDelay, isAbort, type Clock, type Logger } from "@moco-ts/base";
import type { Informer } from "../cache/informer.ts";
import type { KubeObject } from "../types/object.ts";

/** Longer waits are cut, so that a clock that was set wrong is noticed the same day; shorter ones would be a busy loop. */
const longestWait = 12 * 3_600_000;
const shortestWait = 1_000;

export interface UpkeepOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** A change in any of them is a reason to look again. */
  readonly informers: readonly Pick<Informer<KubeObject>, "subscribe" | "waitForSync">[];
  /** Further reasons: called with what to call. Returns how to end that. */
  readonly triggers?: readonly ((wake: () => void) => () => void)[];
  readonly signal: AbortSignal;
}

/**
 * Calls `work` now, on every change, and after as many milliseconds as it returns, one call at a time, until the signal
 * is aborted. A failed call is logged and repeated after a growing wait.
 */
export async function onEachChange(options: UpkeepOptions, work: () => Promise<number>): Promise<void> {
  const { clock, logger, informers, triggers = [], signal } = options;
  let changed = Promise.withResolvers<void>();
  const wake = (): void => changed.resolve();
  const handler = { added: wake, updated: wake, deleted: wake };
  signal.addEventListener("abort", wake, { once: true });
  const ends = [...informers.map((each) => each.subscribe(handler)), ...triggers.map((each) => each(wake))];
  let failures = 0;
  try {
    for (const informer of informers) await informer.waitForSync(signal);
    while (!signal.aborted) {
      changed = Promise.withResolvers<void>();
      let wait;
      try {
        wait = await work();
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        wait = backoffDelay({ initial: 1_000, maximum: 60_000, jitter: 0.3 }, ++failures);
        logger.error("certificates could not be kept up", { error, retryInMilliseconds: Math.round(wait) });
      }
      const cancel = clock.schedule(Math.max(shortestWait, Math.min(wait, longestWait)), wake);
      if (!signal.aborted) await changed.promise;
      cancel();
    }
  } catch (error) {
    if (!isAbort(error, signal)) throw error;
  } finally {
    for (const end of ends) end();
    signal.removeEventListener("abort", wake);
  }
}
