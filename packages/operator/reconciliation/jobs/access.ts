import { apiGroup, backupLabels, type MySQLCluster } from "@moco-ts/api";
import type { Configuration, Role, RoleBinding } from "@moco-ts/kube";
import { ownedMetadata } from "../metadata.ts";

export interface JobVerbs {
  readonly pods: readonly string[];
  readonly events: readonly string[];
}

/** What a Job may do: report in its cluster's status, find the Pods, tell of it in Events. */
export function jobRole(cluster: MySQLCluster, name: string, { pods, events }: JobVerbs): Configuration<Role> {
  return {
    metadata: ownedMetadata(cluster, name, backupLabels(cluster.metadata.name)),
    rules: [
      {
        apiGroups: [apiGroup],
        resources: ["mysqlclusters", "mysqlclusters/status"],
        resourceNames: [cluster.metadata.name],
        verbs: ["get", "update"],
      },
      { apiGroups: [""], resources: ["pods"], verbs: [...pods] },
      { apiGroups: [""], resources: ["events"], verbs: [...events] },
    ],
  };
}

/** Binds the Role of the same name to the ServiceAccount that the user names. */
export function jobRoleBinding(
  cluster: MySQLCluster,
  name: string,
  serviceAccountName: string,
): Configuration<RoleBinding> {
  return {
    metadata: ownedMetadata(cluster, name, backupLabels(cluster.metadata.name)),
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
    subjects: [{ kind: "ServiceAccount", name: serviceAccountName, namespace: cluster.metadata.namespace }],
  };
}
