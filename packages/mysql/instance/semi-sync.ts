import type { Connection } from "../connection/connection.ts";
import { MysqlError } from "../connection/errors.ts";
import type { SemiSyncNames } from "../plugins.ts";
import { clientsThatWait, readSessions } from "./sessions.ts";
import { readVariables, type Variables } from "./variables.ts";

/** Names of variables by what they say. The old plugins and the new ones have the same, but for these. */
const allNames = {
  "source/replica": {
    source: "rpl_semi_sync_source_enabled",
    count: "rpl_semi_sync_source_wait_for_replica_count",
    timeout: "rpl_semi_sync_source_timeout",
    waitForNobody: "rpl_semi_sync_source_wait_no_replica",
    waitPoint: "rpl_semi_sync_source_wait_point",
    replica: "rpl_semi_sync_replica_enabled",
    active: "Rpl_semi_sync_source_status",
    waiting: "Rpl_semi_sync_source_wait_sessions",
    replicas: "Rpl_semi_sync_source_clients",
    acknowledged: "Rpl_semi_sync_source_yes_tx",
  },
  "master/slave": {
    source: "rpl_semi_sync_master_enabled",
    count: "rpl_semi_sync_master_wait_for_slave_count",
    timeout: "rpl_semi_sync_master_timeout",
    waitForNobody: "rpl_semi_sync_master_wait_no_slave",
    waitPoint: "rpl_semi_sync_master_wait_point",
    replica: "rpl_semi_sync_slave_enabled",
    active: "Rpl_semi_sync_master_status",
    waiting: "Rpl_semi_sync_master_wait_sessions",
    replicas: "Rpl_semi_sync_master_clients",
    acknowledged: "Rpl_semi_sync_master_yes_tx",
  },
} as const satisfies Record<SemiSyncNames, unknown>;

export type Names = (typeof allNames)[SemiSyncNames];

/** Of both kinds, for statements that read whatever is there. */
export const semiSyncVariables: readonly string[] = Object.values(allNames).flatMap((names) => Object.values(names));

/** How this server calls them; undefined if the plugins are not installed. */
export function namesIn(variables: Variables): Names | undefined {
  return Object.values(allNames).find((names) => variables.has(names.source) && variables.has(names.replica));
}

/** What makes waiting for acknowledgements mean something: it never ends without them. */
export function waitingRules(names: Names): Readonly<Record<string, string>> {
  return { [names.timeout]: "4294967295", [names.waitForNobody]: "ON", [names.waitPoint]: "AFTER_SYNC" };
}

/** Whether it acknowledges, from its next connection to a source on. */
export async function acknowledge(connection: Connection, enabled: boolean, signal: AbortSignal): Promise<void> {
  const { names } = await installed(connection, signal);
  await connection.query(`SET GLOBAL ${names.replica} = ${onOff(enabled)}`, [], { signal });
}

/**
 * Waits for so many acknowledgements from now on. To ask for less than before, or to begin anew after it was given up,
 * lets those who wait go on: so clients must have been cut off.
 */
export async function requireAcknowledgements(
  connection: Connection,
  count: number,
  signal: AbortSignal,
): Promise<void> {
  const { names, variables } = await installed(connection, signal);
  const enabled = variables.get(names.source) === "ON";
  const active = variables.get(names.active) === "ON";
  const before = enabled ? Number(variables.get(names.count)) : 0;
  if (enabled && (count < before || !active)) {
    await assertCutOff(connection, variables, signal);
    await connection.query(`SET GLOBAL ${names.source} = OFF`, [], { signal });
  }
  if (count === 0) return;
  for (const [name, value] of Object.entries(waitingRules(names))) {
    if (variables.get(name) !== value) await connection.query(`SET GLOBAL ${name} = ${value}`, [], { signal });
  }
  await connection.query(`SET GLOBAL ${names.count} = ?`, [count], { signal });
  await connection.query(`SET GLOBAL ${names.source} = ON`, [], { signal });
}

/** Nobody may wait who could still be answered, and nobody may begin to. */
async function assertCutOff(connection: Connection, variables: Variables, signal: AbortSignal): Promise<void> {
  if (variables.get("super_read_only") !== "ON") {
    throw new MysqlError("INSTANCE_OPEN", "clients would be told of commits that no replica has: cut them off first");
  }
  const waiting = clientsThatWait(await readSessions(connection, signal));
  if (waiting.length === 0) return;
  throw new MysqlError("CLIENTS_WAIT", `${waiting.length} clients still wait for acknowledgements: cut them off first`);
}

async function installed(connection: Connection, signal: AbortSignal): Promise<{ names: Names; variables: Variables }> {
  const variables = await readVariables(connection, [...semiSyncVariables, "super_read_only"], signal);
  const names = namesIn(variables);
  if (!names)
    throw new MysqlError("SEMI_SYNC_MISSING", "the plugins for semi-synchronous replication are not installed");
  return { names, variables };
}

export function onOff(on: boolean): "ON" | "OFF" {
  return on ? "ON" : "OFF";
}
