import { sleep, type Clock } from "@moco-ts/base";
import type { MysqlInstance } from "@moco-ts/mysql";
import { readVitalSigns } from "./vital-signs.ts";

/** Milliseconds between two beats, and between tries to reach an instance that does not answer. */
const period = 1_000;
const retryPeriod = 500;

/** Tells when an instance is no longer as it was: what it says, whether it answers, or that commits hang. */
export async function followInstance(
  instance: MysqlInstance,
  changed: () => void,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  let signs: string | undefined;
  let waitingAt: string | undefined;
  while (!signal.aborted) {
    const before = signs;
    try {
      const found = await instance.ask(readVitalSigns, signal);
      // No commit got its acknowledgements between two beats.
      const hangs = found.waitingAt !== undefined && found.waitingAt === waitingAt;
      signs = found.signs;
      waitingAt = found.waitingAt;
      if (signs !== before || hangs) changed();
    } catch {
      // Why it does not answer is found out, and told, by the look that follows.
      signs = undefined;
      if (before !== undefined && !signal.aborted) changed();
    }
    // Ended by the signal.
    await sleep(clock, signs === undefined ? retryPeriod : period, signal).catch(() => undefined);
  }
}
