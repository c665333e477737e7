import type { Connection } from "../connection/connection.ts";

/** Values of system and status variables by their names. What this server does not know is not there. */
export type Variables = ReadonlyMap<string, string>;

export interface VariableRow {
  readonly name: string;
  readonly value: string;
}

/** Reads both kinds by one statement. */
export function variablesStatement(names: readonly string[]): string {
  const list = names.map((name) => `'${name}'`).join(", ");
  return ["global_variables", "global_status"]
    .map(
      (table) =>
        `SELECT VARIABLE_NAME AS name, VARIABLE_VALUE AS value FROM performance_schema.${table} WHERE VARIABLE_NAME IN (${list})`,
    )
    .join(" UNION ALL ");
}

export function toVariables(rows: readonly VariableRow[]): Variables {
  return new Map(rows.map(({ name, value }) => [name, value]));
}

export async function readVariables(
  connection: Connection,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<Variables> {
  return toVariables(await connection.query<VariableRow>(variablesStatement(names), [], { signal }));
}
