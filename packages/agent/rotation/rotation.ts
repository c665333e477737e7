import { stat } from "node:fs/promises";
import { isAbort, sleep, type Clock, type Logger, type Schedule } from "@moco-ts/base";
import type { AgentMetrics } from "../metrics.ts";
import type { Session } from "../mysql/session.ts";
import { rotateSlowLog } from "./rotate.ts";

export interface RotationOptions {
  readonly file: string;
  readonly schedule: Schedule;
  /** Bytes at which it is rotated too; 0 is off. */
  readonly size: number;
  readonly session: Session;
  /** Milliseconds that one rotation may take. */
  readonly timeout: number;
  readonly metrics: AgentMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Milliseconds between two looks at the log's size. */
const sizeInterval = 1_000;

/** Rotates the slow query log when it is due, and when it is large. Ends with the signal; never rejects otherwise. */
export async function keepRotating(options: RotationOptions, signal: AbortSignal): Promise<void> {
  const { size, clock } = options;
  let busy: Promise<void> = Promise.resolve();
  // One at a time: the second would set an empty log aside, over the full one.
  const rotate = (): Promise<void> => (busy = busy.then(() => rotateOnce(options)));
  const loops = [onSchedule(options, rotate, signal)];
  if (size > 0) {
    loops.push(
      every(clock, sizeInterval, signal, async () => {
        if ((await sizeOf(options.file)) >= size) await rotate();
      }),
    );
  }
  await Promise.all(loops);
}

async function onSchedule(options: RotationOptions, rotate: () => Promise<void>, signal: AbortSignal): Promise<void> {
  const { clock, schedule } = options;
  try {
    for (;;) {
      const next = schedule.next(new Date(clock.now()));
      if (next === undefined) return;
      // Long waits are cut into pieces: a timer knows nothing of a clock that was set.
      while (clock.now() < next.getTime()) {
        await sleep(clock, Math.min(next.getTime() - clock.now(), 60_000), signal);
      }
      await rotate();
    }
  } catch (error) {
    if (!isAbort(error, signal)) throw error;
  }
}

async function every(clock: Clock, interval: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  try {
    for (;;) {
      await sleep(clock, interval, signal);
      await work();
    }
  } catch (error) {
    if (!isAbort(error, signal)) throw error;
  }
}

async function rotateOnce({ file, session, timeout, metrics, clock, logger }: RotationOptions): Promise<void> {
  const start = clock.monotonic();
  try {
    await rotateSlowLog(file, session, timeout);
    metrics.logRotated((clock.monotonic() - start) / 1000);
  } catch (error) {
    metrics.logRotationFailed();
    logger.warn("the slow query log could not be rotated", { error });
  }
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch {
    // It is not there before the first slow query, or was just set aside.
    return 0;
  }
}
