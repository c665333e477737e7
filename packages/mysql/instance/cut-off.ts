import { sleep, toError, withDeadline, type Clock } from "@moco-ts/base";
import type { Connection } from "../connection/connection.ts";
import { GtidSet } from "../gtidset/gtidset.ts";
import type { Cut } from "./instance.ts";
import { clientsThatWait, killSessions, readSessions } from "./sessions.ts";

export interface CutOffOptions {
  /** Asks and kills; never hangs for long. */
  readonly look: Connection;
  readonly change: Connection;
  /** Becomes read-only, which hangs behind every commit under way. Must not be closed before that is done. */
  readonly setter: Connection;
  /** Connections that are not to be killed. */
  readonly spared: readonly number[];
  /** Milliseconds for commits under way to end by themselves. */
  readonly patience: number;
  readonly clock: Clock;
}

/** Milliseconds for sessions that were killed to end. */
const killLimit = 3_000;
/** Milliseconds after which sessions that survive KILL are thrown out in another way. */
const offlineModeAfter = 1_000;
const interval = 20;

interface Flags {
  readonly readOnly: number;
  readonly superReadOnly: number;
}

/**
 * Cuts clients off, so that none is told of a commit that no replica has.
 *
 * super_read_only comes first, while replicas are attached, and waits for commits to end by real acknowledgements. The
 * flag is up even while its setter waits, so nobody begins anything new, and all who could have are killed after that: a
 * client that was killed gets no answer, even if its thread hangs on. offline_mode would throw replicas out too: it comes
 * last.
 */
export async function cutOff(options: CutOffOptions, signal: AbortSignal): Promise<Cut> {
  const { look, change, setter, spared, patience, clock } = options;
  const setting = becomeReadOnly(setter);
  const wait = (milliseconds: number): Promise<void> => sleep(clock, milliseconds, signal);
  try {
    const what = "becoming read-only";
    await withDeadline({ what, milliseconds: patience, clock, signal }, () => setting.ended);
  } catch {
    // Patience is at an end. The setter goes on.
    signal.throwIfAborted();
  }

  const start = clock.monotonic();
  for (let offline = false; ;) {
    const elapsed = clock.monotonic() - start;
    // In this order: whom we find after the flag is up is everybody who may have begun before.
    const flags = await readFlags(look, signal);
    await killSessions(look, spared, signal);
    const sessions = await readSessions(look, signal);
    const waiting = clientsThatWait(sessions);
    const closed = flags.superReadOnly === 1 && (setting.outcome === "pending" || flags.readOnly === 1);
    // Sessions that were killed and hang in their commit hold the setter up for ever; others soon end.
    const settled = setting.outcome !== "pending" || sessions.some((session) => session.waiting) || elapsed > killLimit;
    if (closed && waiting.length === 0 && settled) {
      const executed = await readTwice(look, wait, signal);
      if (executed) return { complete: true, executed, problem: undefined };
    }
    if (elapsed > killLimit) return incomplete(setting.outcome, waiting.length);
    if (waiting.length > 0 && elapsed > offlineModeAfter && !offline) {
      offline = true;
      await change.query("SET GLOBAL offline_mode = ON", [], { signal });
    }
    await wait(interval);
  }
}

interface Setting {
  outcome: "pending" | "done" | Error;
  /** Never rejects. */
  readonly ended: Promise<void>;
}

function becomeReadOnly(setter: Connection): Setting {
  const query = setter.query("SET GLOBAL super_read_only = ON", [], { timeout: Infinity });
  const setting: Setting = {
    outcome: "pending",
    ended: query.then(
      () => void (setting.outcome = "done"),
      (error: unknown) => void (setting.outcome = toError(error)),
    ),
  };
  return setting;
}

function incomplete(outcome: Setting["outcome"], waiting: number): Cut {
  let problem = "transactions are still being committed";
  if (outcome instanceof Error) problem = outcome.message;
  else if (waiting > 0) problem = `${waiting} clients still wait for acknowledgements`;
  return { complete: false, executed: undefined, problem };
}

async function readFlags(look: Connection, signal: AbortSignal): Promise<Flags> {
  const statement = "SELECT @@GLOBAL.read_only AS readOnly, @@GLOBAL.super_read_only AS superReadOnly";
  const [row] = await look.query<Flags>(statement, [], { signal });
  return row!;
}

/** Undefined if it is still changing. */
async function readTwice(
  look: Connection,
  wait: (milliseconds: number) => Promise<void>,
  signal: AbortSignal,
): Promise<GtidSet | undefined> {
  const first = await readExecuted(look, signal);
  await wait(interval);
  const second = await readExecuted(look, signal);
  return first === second ? GtidSet.parse(second) : undefined;
}

async function readExecuted(look: Connection, signal: AbortSignal): Promise<string> {
  const statement = "SELECT @@GLOBAL.gtid_executed AS executed";
  const [row] = await look.query<{ executed: string }>(statement, [], { signal });
  return row!.executed;
}
