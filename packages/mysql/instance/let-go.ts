import { sleep, type Clock } from "@moco-ts/base";
import type { Connection } from "../connection/connection.ts";
import { MysqlError } from "../connection/errors.ts";
import { kill } from "./lock.ts";
import { clientsThatWait, killSessions, readSessions } from "./sessions.ts";
import { readVariables } from "./variables.ts";

export interface LetGoOptions {
  readonly connection: Connection;
  /** Connections that are not to be killed. */
  readonly spared: () => readonly number[];
  /** Runs a statement that may hang on a connection of its own, which is lost then. */
  readonly withSpare: <T>(use: (spare: Connection) => Promise<T>) => Promise<T>;
  readonly clock: Clock;
}

const interval = 20;

/**
 * Lets commits go on that wait for acknowledgements, if nobody is there any more who could be told of them.
 *
 * While killed sessions hang in their commits, the instance can't become read-only, and clients that want to write hang
 * behind the statement that makes it so. Once the killed ones are gone it becomes so in two steps, read_only first, and a
 * privileged client gets a chance to write in between. A lock that nobody can write under bridges that gap.
 */
export async function letGo(
  options: LetGoOptions,
  stopWaiting: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { connection, withSpare } = options;
  if (await isClosed(connection, signal)) {
    await assertUnanswered(connection, signal);
    return stopWaiting();
  }
  if (!(await isClosing(connection, signal))) {
    throw new MysqlError("INSTANCE_OPEN", "clients would be told of commits that no replica has: cut them off first");
  }
  await withSpare((spare) => bridge(spare, options, stopWaiting, signal));
}

async function bridge(
  spare: Connection,
  { connection, spared, clock }: LetGoOptions,
  stopWaiting: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const locking = { done: false };
  const lock = spare.query("FLUSH TABLES WITH READ LOCK", [], { timeout: Infinity }).then(
    () => void (locking.done = true),
    // Found out below: it never waits then.
    () => undefined,
  );
  try {
    while (!locking.done && !(await isWaiting(connection, spare.id, signal))) await sleep(clock, interval, signal);
    await killSessions(connection, [...spared(), spare.id], signal);
    await assertUnanswered(connection, signal);
    await stopWaiting();
    while (!(await isClosed(connection, signal))) await sleep(clock, interval, signal);
    await lock;
    await spare.query("UNLOCK TABLES", [], { signal });
  } catch (error) {
    // Nobody else may hang behind it.
    if (connection.usable) await kill(connection, spare.id);
    throw error;
  }
}

async function isClosed(connection: Connection, signal: AbortSignal): Promise<boolean> {
  const flags = await readVariables(connection, ["read_only", "super_read_only"], signal);
  return [...flags.values()].every((value) => value === "1");
}

const waitsForLock = "STATE IN ('Waiting for global read lock', 'Waiting for commit lock')";

/** The variables don't tell: at one step one of them seems to be set, at the next one the other is. */
async function isClosing(connection: Connection, signal: AbortSignal): Promise<boolean> {
  const rows = await connection.query(
    `SELECT 1 FROM information_schema.PROCESSLIST WHERE INFO LIKE 'SET GLOBAL super_read_only%' AND ${waitsForLock}`,
    [],
    { signal },
  );
  return rows.length > 0;
}

async function isWaiting(connection: Connection, id: number, signal: AbortSignal): Promise<boolean> {
  const rows = await connection.query(
    `SELECT 1 FROM information_schema.PROCESSLIST WHERE ID = ? AND ${waitsForLock}`,
    [id],
    { signal },
  );
  return rows.length === 1;
}

async function assertUnanswered(connection: Connection, signal: AbortSignal): Promise<void> {
  const waiting = clientsThatWait(await readSessions(connection, signal));
  if (waiting.length === 0) return;
  throw new MysqlError("CLIENTS_WAIT", `${waiting.length} clients still wait for acknowledgements: cut them off first`);
}
