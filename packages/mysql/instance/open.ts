import type { Connection } from "../connection/connection.ts";
import { MysqlError } from "../connection/errors.ts";
import { getLock, openingLock } from "./lock.ts";
import { acknowledgementsWaitedFor } from "./semi-sync.ts";

/** Seconds. Nobody else holds it but who ends mysqld, and that one never lets go of it. */
const lockPatience = 1;

/** Whoever still waits to make it read-only would do so later. Process 1 is not among them: it has the lock. */
const settersStatement = `
  SELECT ID AS id FROM information_schema.PROCESSLIST
  WHERE INFO LIKE 'SET GLOBAL super_read_only%' AND ID <> CONNECTION_ID()`;

/** Makes the instance writable, unless mysqld is being ended or has restarted since it was told what to wait for. */
export async function open(connection: Connection, acknowledgements: number, signal: AbortSignal): Promise<void> {
  if (!(await getLock(connection, openingLock, lockPatience, signal))) {
    throw new MysqlError("INSTANCE_STOPPING", "mysqld is being ended: it must not be opened any more");
  }
  try {
    if (acknowledgements > 0 && (await acknowledgementsWaitedFor(connection, signal)) < acknowledgements) {
      const message = `mysqld does not wait for ${acknowledgements} acknowledgements: it must not be opened like this`;
      throw new MysqlError("INSTANCE_NOT_WAITING", message);
    }
    for (const { id } of await connection.query<{ id: number }>(settersStatement, [], { signal })) {
      await connection.query("KILL QUERY ?", [id], { signal });
    }
    await connection.query("SET GLOBAL read_only = OFF", [], { signal });
  } finally {
    if (connection.usable) await connection.query("DO RELEASE_LOCK(?)", [openingLock]);
  }
}
