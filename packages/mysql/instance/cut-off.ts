import { sleep, toError, withDeadline, type Clock } from "@moco-ts/base";
import type { Connection } from "../connection/connection.ts";
import { GtidSet } from "../gtidset/gtidset.ts";
import type { Cut } from "./instance.ts";
import { clientsThatWait, killSessions, readSessions, type Session } from "./sessions.ts";
import { readVariables } from "./variables.ts";

export interface CutOffOptions {
  /** Asks and kills; never hangs for long. */
  readonly look: Connection;
  readonly change: Connection;
  readonly closing: Closing;
  /** Connections that are not to be killed. */
  readonly spared: readonly number[];
  /** Milliseconds for commits under way to end by themselves. */
  readonly patience: number;
  readonly clock: Clock;
}

/**
 * The statement that makes an instance read-only. It hangs behind every commit under way, and must not be given up: if it
 * is killed, all is as it was before.
 */
export interface Closing {
  /** Of the connection that it is sent on. To the server it is a client like any other until it has arrived there. */
  readonly id: number;
  outcome: "pending" | "done" | Error;
  /** Never rejects. */
  readonly ended: Promise<void>;
}

export function startClosing(connection: Pick<Connection, "id" | "query">): Closing {
  const query = connection.query("SET GLOBAL super_read_only = ON", [], { timeout: Infinity });
  const closing: Closing = {
    id: connection.id,
    outcome: "pending",
    ended: query.then(
      () => void (closing.outcome = "done"),
      (error: unknown) => void (closing.outcome = toError(error)),
    ),
  };
  return closing;
}

/** Milliseconds after the first KILL. */
const limits = {
  /** For sessions that hang in a commit, which no KILL ends, to be acknowledged after all. */
  hanging: 300,
  /** For sessions that survive KILL to be thrown out in another way. */
  offlineMode: 1_000,
  all: 3_000,
} as const;
const interval = 20;

/**
 * Cuts clients off, so that none is told of a commit that no replica has.
 *
 * super_read_only comes first, while replicas are attached, and waits for commits to end by real acknowledgements: who
 * writes now hangs behind it. A client that was killed gets no answer, even if its thread hangs on. offline_mode would
 * throw replicas out too: it comes last.
 */
export async function cutOff(options: CutOffOptions, signal: AbortSignal): Promise<Cut> {
  const { look, change, closing, spared, patience, clock } = options;
  try {
    const what = "becoming read-only";
    await withDeadline({ what, milliseconds: patience, clock, signal }, () => closing.ended);
  } catch {
    // Patience is at an end. The statement goes on.
    signal.throwIfAborted();
  }
  const start = clock.monotonic();
  for (let isOffline = false; ;) {
    await killSessions(look, [...spared, closing.id], signal);
    const sessions = await readSessions(look, signal);
    const waiting = clientsThatWait(sessions);
    if (waiting.length === 0 && (await isClosed(look, closing, signal))) {
      const executed = await readTwice(look, clock, signal);
      if (executed) return { complete: true, executed, problem: undefined };
    }
    const elapsed = clock.monotonic() - start;
    const onlyHanging = waiting.length === 0 && sessions.some((session) => session.waiting);
    if (elapsed > (onlyHanging ? limits.hanging : limits.all) || closing.outcome instanceof Error) {
      return { complete: false, executed: undefined, problem: explain(closing, sessions) };
    }
    if (waiting.length > 0 && elapsed > limits.offlineMode && !isOffline) {
      isOffline = true;
      await change.query("SET GLOBAL offline_mode = ON", [], { signal });
    }
    await sleep(clock, interval, signal);
  }
}

/** While it is being set, super_read_only looks as if it were, and read_only does not. */
async function isClosed(look: Connection, { outcome }: Closing, signal: AbortSignal): Promise<boolean> {
  if (outcome !== "done") return false;
  const flags = await readVariables(look, ["read_only", "super_read_only"], signal);
  return [...flags.values()].every((value) => value === "1");
}

function explain({ outcome }: Closing, sessions: readonly Session[]): string {
  if (outcome instanceof Error) return outcome.message;
  const waiting = clientsThatWait(sessions).length;
  if (waiting > 0) return `${waiting} clients still wait for acknowledgements`;
  const hanging = sessions.filter((session) => session.waiting).length;
  if (hanging > 0) return `${hanging} sessions that were killed still wait for acknowledgements`;
  return "transactions are still being ended";
}

/** Undefined if it is still changing. */
async function readTwice(look: Connection, clock: Clock, signal: AbortSignal): Promise<GtidSet | undefined> {
  const first = await readExecuted(look, signal);
  await sleep(clock, interval, signal);
  const second = await readExecuted(look, signal);
  return first === second ? GtidSet.parse(second) : undefined;
}

async function readExecuted(look: Connection, signal: AbortSignal): Promise<string> {
  return (await readVariables(look, ["gtid_executed"], signal)).get("gtid_executed")!;
}
