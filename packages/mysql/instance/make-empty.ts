import type { Connection } from "../connection/connection.ts";
import { MysqlError } from "../connection/errors.ts";
import { serverVersion, statementsOf } from "../version.ts";
import { readVariables } from "./variables.ts";

/** More acknowledgements than anybody can get. */
const unreachable = 65_535;

const schemasStatement = `
  SELECT SCHEMA_NAME AS name FROM information_schema.SCHEMATA
  WHERE SCHEMA_NAME NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')`;

const tablespacesStatement =
  "SELECT NAME AS name FROM information_schema.INNODB_TABLESPACES WHERE SPACE_TYPE = 'General' AND NAME <> 'mysql'";

/**
 * Removes all data of users and forgets where they came from, so that others may be cloned in: CLONE itself can't remove
 * them, since the instance is super_read_only. That has to be turned off for as long as it takes. Nobody but privileged
 * clients could write then, and they would wait for acknowledgements that never come.
 */
export async function makeEmpty(
  connection: Connection,
  requireAcknowledgements: (count: number) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const run = (statement: string, timeout?: number) =>
    connection.query<{ name: string }>(statement, [], { signal, ...(timeout !== undefined && { timeout }) });
  const flags = await readVariables(connection, ["read_only", "super_read_only"], signal);
  if ([...flags.values()].some((value) => value !== "1")) {
    throw new MysqlError("INSTANCE_OPEN", "an instance that can be written is not emptied");
  }
  await run("STOP REPLICA FOR CHANNEL ''");
  await run("RESET REPLICA ALL FOR CHANNEL ''");
  const drops = [
    ...(await run(schemasStatement)).map(({ name }) => `DROP DATABASE ${quoted(name)}`),
    ...(await run(tablespacesStatement)).map(({ name }) => `DROP TABLESPACE ${quoted(name)}`),
  ];
  if (drops.length > 0) {
    await requireAcknowledgements(unreachable);
    await run("SET SESSION sql_log_bin = OFF");
    await run("SET GLOBAL super_read_only = OFF");
    for (const drop of drops) await run(drop, Infinity);
    // Whoever wrote meanwhile holds this up, and is cut off by the next one who finds the instance like this.
    await run("SET GLOBAL super_read_only = ON");
    await run("SET SESSION sql_log_bin = ON");
  }
  await requireAcknowledgements(0);
  const { resetBinaryLogs } = statementsOf(await serverVersion(connection, { signal }));
  await run(resetBinaryLogs);
}

function quoted(name: string): string {
  return `\`${name.replaceAll("`", "``")}\``;
}
