import type { Connection } from "../connection/connection.ts";
import { errorNumbers, isMysqlError } from "../connection/errors.ts";
import { openingLock } from "./lock.ts";

/** A session of a client: nothing of replication or of the server itself. */
export interface Session {
  readonly id: number;
  /** Its client has been disconnected; it may still hang in a commit. */
  readonly killed: boolean;
  /** It is in a commit that is not answered yet. */
  readonly waiting: boolean;
}

/**
 * Spared are: replicas that receive the binary log, since acknowledgements come from them; who is just making the
 * instance read-only, since that would be taken back; and process 1 when it ends mysqld, by whose lock that is known.
 * The table is the only one that tells who was killed.
 */
const statement = `
  SELECT ID AS id, COMMAND = 'Killed' AS killed,
    COALESCE(STATE LIKE 'Waiting for semi-sync ACK%' OR STATE = 'waiting for handler commit', FALSE) AS waiting
  FROM information_schema.PROCESSLIST
  WHERE USER NOT IN ('system user', 'event_scheduler') AND COMMAND NOT IN ('Binlog Dump', 'Binlog Dump GTID', 'Daemon')
    AND COALESCE(INFO, '') NOT LIKE 'SET GLOBAL super_read_only%' AND ID <> COALESCE(IS_USED_LOCK('${openingLock}'), 0)`;

export async function readSessions(connection: Connection, signal?: AbortSignal): Promise<Session[]> {
  const rows = await connection.query<{ id: number; killed: number; waiting: number }>(statement, [], { signal });
  return rows.map(({ id, killed, waiting }) => ({ id, killed: killed === 1, waiting: waiting === 1 }));
}

/** Those who can still be told of their commit. */
export function clientsThatWait(sessions: readonly Session[]): Session[] {
  return sessions.filter(({ killed, waiting }) => waiting && !killed);
}

/** Ends the sessions of all clients but these, which are our own. */
export async function killSessions(
  connection: Connection,
  spared: readonly number[],
  signal?: AbortSignal,
): Promise<void> {
  const sessions = await readSessions(connection, signal);
  const ids = sessions.filter(({ id, killed }) => !killed && !spared.includes(id)).map(({ id }) => id);
  while (ids.length > 0) await killSome(connection, ids, signal);
}

const batch = 100;

/** Many at once, up to the first that is gone already: there may be thousands. Removes from `ids` who has been dealt with. */
async function killSome(connection: Connection, ids: number[], signal?: AbortSignal): Promise<void> {
  const some = ids.slice(0, batch);
  try {
    await connection.query(some.map((id) => `KILL ${id}`).join("; "), [], { signal });
    ids.splice(0, some.length);
  } catch (error) {
    if (!isMysqlError(error, errorNumbers.noSuchThread)) throw error;
    const [gone] = /\d+$/.exec((error as Error).message) ?? [];
    ids.splice(0, Math.max(some.indexOf(Number(gone)), 0) + 1);
  }
}
