import {
  defaultMySQLCluster,
  describeCauses,
  MySQLClusters,
  validateMySQLCluster,
  type MySQLCluster,
} from "@moco-ts/api";
import { TerminalError } from "@moco-ts/kube";
import type { Tools } from "./tools.ts";

/**
 * A cluster that was stored while the webhooks were away is judged here by the same rules. Throws a TerminalError that
 * names everything that is wrong: nothing but an edit helps.
 */
export function judge(cluster: MySQLCluster): void {
  const causes = validateMySQLCluster(cluster);
  if (causes.length > 0) throw new TerminalError("MYSQLCLUSTER_INVALID", describeCauses(causes));
}

/** Gives it what the webhook would have given. True if that was missing: the change comes back through the watch. */
export async function supplyDefaults(
  { client, randomInteger }: Tools,
  cluster: MySQLCluster,
  signal: AbortSignal,
): Promise<boolean> {
  const { metadata, spec } = defaultMySQLCluster(cluster, randomInteger);
  const isComplete =
    metadata.finalizers?.length === cluster.metadata.finalizers?.length &&
    spec.serverIDBase === cluster.spec.serverIDBase;
  if (isComplete) return false;
  const { resourceVersion } = cluster.metadata;
  const body = {
    metadata: { resourceVersion, finalizers: metadata.finalizers },
    spec: { serverIDBase: spec.serverIDBase },
  };
  await client.patch(MySQLClusters, cluster.metadata, { type: "merge", body }, { signal });
  return true;
}
