/**
 * Reading variables by their names only: the tables and SHOW statements that list all of them hang, like logins, while
 * somebody's CREATE USER waits for an acknowledgement.
 */
import type { Connection } from "../connection/connection.ts";

/** Values as MySQL gives them, with 1 for ON, by their names. */
export type Variables = ReadonlyMap<string, string>;

export function variablesStatement(names: readonly string[]): string {
  return `SELECT ${names.map((name) => `@@GLOBAL.${name} AS ${name}`).join(", ")}`;
}

export function toVariables(row: Readonly<Record<string, unknown>>): Variables {
  return new Map(Object.entries(row).map(([name, value]) => [name, String(value)]));
}

export async function readVariables(
  connection: Connection,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Variables> {
  const [row] = await connection.query(variablesStatement(names), [], { signal });
  return toVariables(row!);
}

/** Status variables; what this server does not know is not there. */
export async function readStatus(
  connection: Connection,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Variables> {
  const list = names.map((name) => `'${name}'`).join(", ");
  const rows = await connection.query<{ name: string; value: string }>(
    `SELECT VARIABLE_NAME AS name, VARIABLE_VALUE AS value FROM performance_schema.global_status
     WHERE VARIABLE_NAME IN (${list})`,
    [],
    { signal },
  );
  return new Map(rows.map(({ name, value }) => [name, value]));
}
