import type { Connection } from "../connection/connection.ts";
import { MysqlError } from "../connection/errors.ts";
import { serverVersion, statementsOf } from "../version.ts";

/** Forgets where data came from, so that others may be cloned over them. The instance stays super_read_only. */
export async function makeEmpty(connection: Connection, signal: AbortSignal): Promise<void> {
  const [row] = await connection.query<{ closed: number }>(
    "SELECT @@GLOBAL.read_only AND @@GLOBAL.super_read_only AS closed",
    [],
    { signal },
  );
  if (row!.closed !== 1) throw new MysqlError("INSTANCE_OPEN", "an instance that can be written is not emptied");
  await connection.query("STOP REPLICA FOR CHANNEL ''", [], { signal });
  await connection.query("RESET REPLICA ALL FOR CHANNEL ''", [], { signal });
  const { resetBinaryLogs } = statementsOf(await serverVersion(connection, { signal }));
  await connection.query(resetBinaryLogs, [], { signal });
}
