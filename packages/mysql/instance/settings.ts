import type { Connection } from "../connection/connection.ts";
import { attention } from "./channel.ts";
import type { Persisted } from "./persisted.ts";
import { namesIn, semiSyncStatus, waitingRules, type Names } from "./semi-sync.ts";
import { readStatus, readVariables, type Variables } from "./variables.ts";

/** Changed at run time wherever they differ. */
const enforced = { sync_relay_log: "1" } as const;

/** Only a restart changes these, or they are the user's decision: they are reported. */
const reported = {
  relay_log_recovery: "0",
  skip_replica_start: "1",
  sync_binlog: "1",
  innodb_flush_log_at_trx_commit: "1",
} as const;

const netTimeout = "replica_net_timeout";
const persistedLoad = "persisted_globals_load";

export function settingNames(names: Names | undefined): string[] {
  const own = [...Object.keys(enforced), ...Object.keys(reported), netTimeout, persistedLoad];
  return [...own, ...(names ? Object.keys(waitingRules(names)) : [])];
}

/** Settings of the user's by which acknowledged transactions could be lost. */
export function dangersOf(variables: Variables): string[] {
  return differing(variables, reported).map((name) => `${name}=${variables.get(name)}`);
}

/** Whether all that `enforceSettings` sets is so. */
export function isEnforced(
  variables: Variables,
  names: Names | undefined,
  persisted: { readonly known: readonly Persisted[] },
): boolean {
  if (differing(variables, enforcedValues(names)).length > 0 || !noticesSilence(variables)) return false;
  // Nobody asks for them where they don't count.
  return variables.get(persistedLoad) === "0" || dangerousLater(names, persisted.known).length === 0;
}

/** Whether a source that falls silent is noticed within seconds. */
export function noticesSilence(variables: Variables): boolean {
  const seconds = Number(variables.get(netTimeout));
  return seconds >= 3 && seconds <= 5;
}

export async function enforceSettings(
  connection: Connection,
  readPersisted: () => Promise<readonly Persisted[]>,
  signal: AbortSignal,
): Promise<void> {
  const names = namesIn(await readStatus(connection, semiSyncStatus, signal));
  const variables = await readVariables(connection, settingNames(names), signal);
  const wanted = enforcedValues(names);
  for (const name of differing(variables, wanted)) {
    await connection.query(`SET GLOBAL ${name} = ${wanted[name]}`, [], { signal });
  }
  if (!noticesSilence(variables)) {
    await connection.query(`SET GLOBAL ${netTimeout} = ?`, [attention.netTimeout], { signal });
  }
  if (variables.get(persistedLoad) === "0") return;
  for (const { name } of dangerousLater(names, await readPersisted())) {
    await connection.query(`RESET PERSIST IF EXISTS ${name}`, [], { signal });
  }
}

type Values = Readonly<Record<string, string>>;

function enforcedValues(names: Names | undefined): Values {
  return { ...enforced, ...(names && waitingRules(names)) };
}

function differing(variables: Variables, wanted: Values): string[] {
  return Object.keys(wanted).filter((name) => variables.get(name) !== wanted[name]);
}

/** What would open the instance, or undo what is enforced, at its next start. */
function dangerousLater(names: Names | undefined, persisted: readonly Persisted[]): Persisted[] {
  const wanted: Values = { ...enforcedValues(names), ...reported, read_only: "1", super_read_only: "1" };
  return persisted.filter(({ name, value }) => wanted[name] !== undefined && numeric(value) !== wanted[name]);
}

/** Persisted are words where variables have numbers. */
function numeric(value: string): string {
  const words: Values = { ON: "1", OFF: "0" };
  return words[value.toUpperCase()] ?? value;
}
