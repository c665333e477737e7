import { sleep, type Clock } from "@moco-ts/base";
import type { MysqlInstance } from "@moco-ts/mysql";
import { readVitalSigns } from "./vital-signs.ts";

/** Milliseconds between two beats, and between tries to reach an instance that does not answer. */
const period = 1_000;
const retryPeriod = 500;
/** Milliseconds between two tries to open the connections that changes need. */
const preparePeriod = 10_000;

/** Tells when an instance is no longer as it was: what it says, whether it answers, or that commits hang. */
export async function followInstance(
  instance: MysqlInstance,
  changed: () => void,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  let signs: string | undefined;
  let waitingAt: string | undefined;
  let preparedAt = -Infinity;
  while (!signal.aborted) {
    const before = signs;
    try {
      const found = await instance.ask(readVitalSigns, signal);
      // No commit got its acknowledgements between two beats.
      const hangs = found.waitingAt !== undefined && found.waitingAt === waitingAt;
      signs = found.signs;
      waitingAt = found.waitingAt;
      if (signs !== before || hangs) changed();
      if (before === undefined) preparedAt = -Infinity;
    } catch {
      // Why it does not answer is found out, and told, by the look that follows.
      signs = undefined;
      if (before !== undefined && !signal.aborted) changed();
    }
    if (signs !== undefined && !instance.isPrepared && clock.monotonic() - preparedAt > preparePeriod) {
      preparedAt = clock.monotonic();
      // Who needs them tries again, and learns why it fails.
      void instance.prepare(signal).catch(() => undefined);
    }
    await pause(signs === undefined ? retryPeriod : period, instance, clock, signal);
  }
}

/** Ends early, with the signal or when the connection is lost: then it is worth asking at once. */
async function pause(milliseconds: number, instance: MysqlInstance, clock: Clock, signal: AbortSignal): Promise<void> {
  const early = new AbortController();
  const end = (): void => early.abort();
  // Both outlive many pauses, and nothing of a pause must stay with them.
  const forget = instance.onLoss(end);
  signal.addEventListener("abort", end, { once: true });
  try {
    await sleep(clock, milliseconds, early.signal);
  } catch {
    // An early end is no failure.
  } finally {
    forget();
    signal.removeEventListener("abort", end);
  }
}
