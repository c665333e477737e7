import {
  decreasedReplicas,
  defaultMySQLCluster,
  describeCauses,
  fieldManager,
  MySQLClusters,
  validateMySQLCluster,
  type MySQLCluster,
} from "@moco-ts/api";
import { TerminalError, type FieldCause, type StatefulSet } from "@moco-ts/kube";
import type { Tools } from "./tools.ts";

/**
 * A cluster that was stored while the webhooks were away is judged here by the same rules. Throws a TerminalError that
 * names everything that is wrong: nothing but an edit helps.
 */
export function judge(cluster: MySQLCluster, live: StatefulSet | undefined): void {
  const causes = [...validateMySQLCluster(cluster), ...validateReplicas(cluster, live)];
  if (causes.length > 0) throw new TerminalError("MYSQLCLUSTER_INVALID", describeCauses(causes));
}

/** The primary might be among those that go. An offline cluster has none that could. */
function validateReplicas({ spec }: MySQLCluster, live: StatefulSet | undefined): FieldCause[] {
  const isDecreased = !spec.offline && spec.replicas < (live?.spec?.replicas ?? 0);
  return isDecreased && isOurs(live) ? [decreasedReplicas] : [];
}

/** Else somebody has scaled the StatefulSet itself, which is put right. */
function isOurs(live: StatefulSet | undefined): boolean {
  const entry = live?.metadata?.managedFields?.find(({ manager }) => manager === fieldManager);
  const { "f:spec": fields = {} } = (entry?.fieldsV1 ?? {}) as { "f:spec"?: object };
  return "f:replicas" in fields;
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
