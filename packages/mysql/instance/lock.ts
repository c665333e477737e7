import type { Connection } from "../connection/connection.ts";
import { errorNumbers, isMysqlError, MysqlError } from "../connection/errors.ts";

/** Who holds it may change the instance. */
export const operatorLock = "moco-operator";

/** Held while an instance is prepared or opened, and by process 1 from the moment on at which it ends mysqld. */
export const openingLock = "moco-opening";

/** Seconds until a session that was killed must be gone. */
const patience = 2;

/**
 * Makes this connection the only one that may change the instance. Whoever had that right before, and may be frozen, is
 * cut off: what it sends when it wakes up reaches nobody.
 */
export async function takeOperatorLock(connection: Connection, signal?: AbortSignal): Promise<void> {
  if (await getLock(connection, operatorLock, 0, signal)) return;
  const [row] = await connection.query<{ holder: number | null }>("SELECT IS_USED_LOCK(?) AS holder", [operatorLock], {
    signal,
  });
  if (row!.holder !== null) await kill(connection, row!.holder, signal);
  if (await getLock(connection, operatorLock, patience, signal)) return;
  throw new MysqlError("INSTANCE_LOCKED", "another operator can't be kept from changing the instance");
}

export async function getLock(
  connection: Connection,
  name: string,
  seconds: number,
  signal?: AbortSignal,
): Promise<boolean> {
  const [row] = await connection.query<{ got: number | null }>("SELECT GET_LOCK(?, ?) AS got", [name, seconds], {
    signal,
  });
  return row!.got === 1;
}

/** Ends a session, if it is still there. */
export async function kill(connection: Connection, id: number, signal?: AbortSignal): Promise<void> {
  try {
    await connection.query("KILL ?", [id], { signal });
  } catch (error) {
    if (!isMysqlError(error, errorNumbers.noSuchThread)) throw error;
  }
}
