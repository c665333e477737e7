import type { Connection } from "../connection/connection.ts";
import { attention } from "./channel.ts";
import { namesIn, semiSyncVariables, waitingRules } from "./semi-sync.ts";
import { readVariables, type VariableRow, type Variables } from "./variables.ts";

/** Changed at run time wherever they differ. */
const enforced = { sync_relay_log: "1" } as const;

/** Only a restart changes these, or they are the user's decision: they are reported. */
const reported = {
  relay_log_recovery: "OFF",
  skip_replica_start: "ON",
  sync_binlog: "1",
  innodb_flush_log_at_trx_commit: "1",
} as const;

const netTimeout = "replica_net_timeout";
const persistedLoad = "persisted_globals_load";

export const settingNames: readonly string[] = [
  ...Object.keys(enforced),
  ...Object.keys(reported),
  netTimeout,
  persistedLoad,
];

/** What somebody persisted that would open the instance, or undo what is enforced, at its next start. */
export const persistedStatement =
  "SELECT VARIABLE_NAME AS name, VARIABLE_VALUE AS value FROM performance_schema.persisted_variables";

/** Settings of the user's by which acknowledged transactions could be lost. */
export function dangersOf(variables: Variables): string[] {
  return differing(variables, reported).map((name) => `${name}=${variables.get(name)}`);
}

/** Whether all that `enforceSettings` sets is so. */
export function isEnforced(variables: Variables, persisted: readonly VariableRow[]): boolean {
  const differ = differing(variables, enforcedValues(variables));
  return differ.length === 0 && noticesSilence(variables) && dangerousLater(variables, persisted).length === 0;
}

/** Whether a source that falls silent is noticed within seconds. */
export function noticesSilence(variables: Variables): boolean {
  const seconds = Number(variables.get(netTimeout));
  return seconds >= 3 && seconds <= 5;
}

export async function enforceSettings(connection: Connection, signal: AbortSignal): Promise<void> {
  const variables = await readVariables(connection, [...settingNames, ...semiSyncVariables], signal);
  const wanted = enforcedValues(variables);
  for (const name of differing(variables, wanted)) {
    await connection.query(`SET GLOBAL ${name} = ${wanted[name]}`, [], { signal });
  }
  if (!noticesSilence(variables)) {
    await connection.query(`SET GLOBAL ${netTimeout} = ?`, [attention.netTimeout], { signal });
  }
  const persisted = await connection.query<VariableRow>(persistedStatement, [], { signal });
  for (const { name } of dangerousLater(variables, persisted)) {
    await connection.query(`RESET PERSIST IF EXISTS ${name}`, [], { signal });
  }
}

type Values = Readonly<Record<string, string>>;

function enforcedValues(variables: Variables): Values {
  const names = namesIn(variables);
  return { ...enforced, ...(names && waitingRules(names)) };
}

function differing(variables: Variables, wanted: Values): string[] {
  return Object.keys(wanted).filter((name) => variables.has(name) && variables.get(name) !== wanted[name]);
}

function dangerousLater(variables: Variables, persisted: readonly VariableRow[]): VariableRow[] {
  if (variables.get(persistedLoad) === "OFF") return [];
  const wanted: Values = { ...enforcedValues(variables), ...reported, read_only: "ON", super_read_only: "ON" };
  return persisted.filter(({ name, value }) => wanted[name] !== undefined && value.toUpperCase() !== wanted[name]);
}
