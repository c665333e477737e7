import { CodedError } from "@moco-ts/base";
import type { Connection, QueryOptions } from "./connection/connection.ts";

export interface ServerVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/** Reads `8.4.8`, `8.0.45-debug`, `9.7.4-2`. */
export function parseVersion(text: string): ServerVersion {
  const match = /^(\d+)\.(\d+)\.(\d+)/.exec(text);
  if (!match) throw new CodedError("MYSQL_VERSION_INVALID", `not a version of MySQL: ${JSON.stringify(text)}`);
  const [major, minor, patch] = match.slice(1).map(Number);
  return { major: major!, minor: minor!, patch: patch! };
}

export function isAtLeast(version: ServerVersion, major: number, minor: number, patch = 0): boolean {
  const [one, other] = [
    [version.major, version.minor, version.patch],
    [major, minor, patch],
  ];
  const different = one.findIndex((part, index) => part !== other[index]);
  return different === -1 || one[different]! > other[different]!;
}

export async function serverVersion(connection: Connection, options?: QueryOptions): Promise<ServerVersion> {
  const [row] = await connection.query<{ version: string }>("SELECT VERSION() AS version", [], options);
  return parseVersion(row!.version);
}

/** Statements whose words differ between the versions. */
export function statementsOf(version: ServerVersion) {
  const renamed = isAtLeast(version, 8, 2);
  return {
    /** Forgets all transactions that were ever executed, and starts a new binary log. */
    resetBinaryLogs: renamed ? "RESET BINARY LOGS AND GTIDS" : "RESET MASTER",
    showBinaryLogStatus: renamed ? "SHOW BINARY LOG STATUS" : "SHOW MASTER STATUS",
  } as const;
}
