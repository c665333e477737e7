import type { Connection } from "../connection/connection.ts";
import { MysqlError } from "../connection/errors.ts";
import type { SemiSyncNames } from "../plugins.ts";
import { readStatus, readVariables, type Variables } from "./variables.ts";

/** Names by what they say. Those of the old plugins and those of the new ones can't be told from the version. */
const allNames = {
  "source/replica": {
    variables: {
      source: "rpl_semi_sync_source_enabled",
      count: "rpl_semi_sync_source_wait_for_replica_count",
      timeout: "rpl_semi_sync_source_timeout",
      waitForNobody: "rpl_semi_sync_source_wait_no_replica",
      waitPoint: "rpl_semi_sync_source_wait_point",
      replica: "rpl_semi_sync_replica_enabled",
    },
    status: {
      active: "Rpl_semi_sync_source_status",
      waiting: "Rpl_semi_sync_source_wait_sessions",
      replicas: "Rpl_semi_sync_source_clients",
      acknowledged: "Rpl_semi_sync_source_yes_tx",
      acknowledges: "Rpl_semi_sync_replica_status",
    },
  },
  "master/slave": {
    variables: {
      source: "rpl_semi_sync_master_enabled",
      count: "rpl_semi_sync_master_wait_for_slave_count",
      timeout: "rpl_semi_sync_master_timeout",
      waitForNobody: "rpl_semi_sync_master_wait_no_slave",
      waitPoint: "rpl_semi_sync_master_wait_point",
      replica: "rpl_semi_sync_slave_enabled",
    },
    status: {
      active: "Rpl_semi_sync_master_status",
      waiting: "Rpl_semi_sync_master_wait_sessions",
      replicas: "Rpl_semi_sync_master_clients",
      acknowledged: "Rpl_semi_sync_master_yes_tx",
      acknowledges: "Rpl_semi_sync_slave_status",
    },
  },
} as const satisfies Record<SemiSyncNames, unknown>;

export type Names = (typeof allNames)[SemiSyncNames];

/** Of both kinds, for statements that read whatever is there. */
export const semiSyncStatus: readonly string[] = Object.values(allNames).flatMap(({ status }) => Object.values(status));

/** How this server calls them, by the status that it has; undefined unless both plugins are installed. */
export function namesIn(status: Variables): Names | undefined {
  return Object.values(allNames).find((names) =>
    [names.status.active, names.status.acknowledges].every((name) => status.has(name)),
  );
}

/** What makes waiting for acknowledgements mean something: it never ends without them. */
export function waitingRules({ variables }: Names): Readonly<Record<string, string>> {
  return { [variables.timeout]: "4294967295", [variables.waitForNobody]: "1", [variables.waitPoint]: "AFTER_SYNC" };
}

/** Whether it acknowledges, from its next connection to a source on. */
export async function acknowledge(connection: Connection, enabled: boolean, signal: AbortSignal): Promise<void> {
  const { names } = await readSemiSync(connection, signal);
  await connection.query(`SET GLOBAL ${names.variables.replica} = ?`, [Number(enabled)], { signal });
}

/** How many a commit waits for, by what this very process was told. */
export async function acknowledgementsWaitedFor(connection: Connection, signal: AbortSignal): Promise<number> {
  const { names, variables, active } = await readSemiSync(connection, signal);
  return active ? Number(variables.get(names.variables.count)) : 0;
}

/**
 * Waits for so many acknowledgements from now on. To ask for less than before, or to begin anew after it was given up,
 * lets those who wait go on: `letGo` makes sure that none of them can be answered, or rejects.
 */
export async function requireAcknowledgements(
  connection: Connection,
  count: number,
  letGo: (stopWaiting: () => Promise<void>) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { names, variables, active } = await readSemiSync(connection, signal);
  const set = async (name: string, value: string | number): Promise<void> => {
    await connection.query(`SET GLOBAL ${name} = ${value}`, [], { signal });
  };
  const { source, count: countName } = names.variables;
  const before = Number(variables.get(countName));
  if (variables.get(source) === "1") {
    if (active && count === before) return;
    if (!active || count < before) await letGo(() => set(source, 0));
  }
  if (count === 0) return;
  const wanted = { ...waitingRules(names), [countName]: String(count) };
  for (const [name, value] of Object.entries(wanted)) {
    if (variables.get(name) !== value) await set(name, value);
  }
  await set(source, 1);
}

interface SemiSync {
  readonly names: Names;
  readonly variables: Variables;
  readonly active: boolean;
}

async function readSemiSync(connection: Connection, signal: AbortSignal): Promise<SemiSync> {
  const status = await readStatus(connection, semiSyncStatus, signal);
  const names = namesIn(status);
  if (!names) throw new MysqlError("SEMI_SYNC_MISSING", "the plugins for semi-synchronous replication are missing");
  const variables = await readVariables(connection, Object.values(names.variables), signal);
  return { names, variables, active: status.get(names.status.active) === "ON" };
}
