import { isDeepStrictEqual } from "node:util";
import { clustersWithPolicy, validateBackupPolicy, type BackupPolicy, type MySQLCluster } from "@moco-ts/api";
import { allow, forbid, refuse, type ValidatingHandler } from "@moco-ts/kube";

/** All clusters of a namespace. */
export type ReadMySQLClusters = (
  namespace: string,
  signal: AbortSignal,
) => readonly MySQLCluster[] | Promise<readonly MySQLCluster[]>;

/** Refuses policies that can't work, and the deletion of one that clusters refer to. */
export function validatePolicy(readClusters: ReadMySQLClusters): ValidatingHandler<BackupPolicy> {
  return async ({ operation, object, oldObject }, signal) => {
    if (operation === "DELETE") {
      const { name, namespace } = oldObject.metadata;
      const [cluster] = clustersWithPolicy(name, await readClusters(namespace, signal));
      if (cluster === undefined) return allow();
      return forbid(`MySQLCluster ${namespace}/${cluster.metadata.name} has a reference to this policy`);
    }
    if (oldObject !== undefined && isDeepStrictEqual(object.spec, oldObject.spec)) return allow();
    const causes = validateBackupPolicy(object);
    return causes.length === 0 ? allow() : refuse(causes);
  };
}
