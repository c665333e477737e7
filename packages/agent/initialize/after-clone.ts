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
  } finally {
    if (connection.usable) await connection.query("SET GLOBAL super_read_only = ON");
  }
}
