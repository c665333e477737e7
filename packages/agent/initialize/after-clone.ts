import { ensurePlugins, ensureUsers, type Connection, type Passwords } from "@moco-ts/mysql";

/**
 * Gives an instance that holds somebody else's data our users and plugins. Not in the binary log, where they would make
 * it differ from its source, and without ever letting users write.
 */
export async function initializeClone(
  connection: Connection,
  passwords: Passwords,
  signal: AbortSignal,
): Promise<void> {
  await connection.query("SET SESSION sql_log_bin = OFF", [], { signal });
  await connection.query("SET GLOBAL super_read_only = OFF", [], { signal });
  try {
    await ensureUsers(connection, passwords, signal);
    await ensurePlugins(connection, signal);
    await forgetSources(connection, signal);
  } finally {
    if (connection.usable) await connection.query("SET GLOBAL super_read_only = ON");
  }
}

/** Where the donor replicates from came with its data, but not its relay logs: such a channel can't even be started. */
async function forgetSources(connection: Connection, signal: AbortSignal): Promise<void> {
  const channels = "SELECT CHANNEL_NAME FROM performance_schema.replication_connection_configuration";
  if ((await connection.query(channels, [], { signal })).length === 0) return;
  await connection.query("RESET REPLICA ALL", [], { signal });
}
