import type { MySQLCluster } from "@moco-ts/api";
import { CodedError } from "@moco-ts/base";
import { ConfigMaps, isNotFound } from "@moco-ts/kube";
import { reviewUserOptions } from "@moco-ts/mysql";
import type { Tools } from "./tools.ts";

export interface UserOptions {
  readonly options: Readonly<Record<string, string>>;
  /** What a user should know of them, though mysqld starts. */
  readonly warnings: readonly string[];
}

/** The options in the ConfigMap that the cluster names. Throws what a user can put right as a coded error. */
export async function readUserOptions(
  { client }: Pick<Tools, "client">,
  { metadata, spec }: MySQLCluster,
  signal: AbortSignal,
): Promise<UserOptions> {
  const name = spec.mysqlConfigMapName;
  if (!name) return { options: {}, warnings: [] };
  try {
    const { data = {} } = await client.get(ConfigMaps, { namespace: metadata.namespace, name }, { signal });
    const { error = [], warning = [] } = Object.groupBy(reviewUserOptions(data), ({ severity }) => severity);
    if (error.length === 0) return { options: data, warnings: warning.map(({ text }) => text) };
    const texts = error.map(({ text }) => text).join("; ");
    throw new CodedError("MYSQL_OPTIONS_INVALID", `ConfigMap ${name} of spec.mysqlConfigMapName: ${texts}`);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const message = `ConfigMap ${name} of spec.mysqlConfigMapName does not exist: create it, or remove the field`;
    throw new CodedError("MYSQL_CONFIG_MAP_MISSING", message, { cause: error });
  }
}
