import type { MySQLCluster } from "@moco-ts/api";
import { CodedError } from "@moco-ts/base";
import { ConfigMaps, isNotFound } from "@moco-ts/kube";
import { reviewUserOptions } from "@moco-ts/mysql";
import type { Tools } from "./tools.ts";

/** The options in the ConfigMap that the cluster names. Throws what a user can put right as a coded error. */
export async function readUserOptions(
  { client }: Pick<Tools, "client">,
  { metadata, spec }: MySQLCluster,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const name = spec.mysqlConfigMapName;
  if (!name) return {};
  try {
    const { data = {} } = await client.get(ConfigMaps, { namespace: metadata.namespace, name }, { signal });
    const errors = reviewUserOptions(data).filter(({ severity }) => severity === "error");
    if (errors.length === 0) return data;
    const texts = errors.map(({ text }) => text).join("; ");
    throw new CodedError("MYSQL_OPTIONS_INVALID", `ConfigMap ${name} of spec.mysqlConfigMapName: ${texts}`);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const message = `ConfigMap ${name} of spec.mysqlConfigMapName does not exist: create it, or remove the field`;
    throw new CodedError("MYSQL_CONFIG_MAP_MISSING", message, { cause: error });
  }
}
