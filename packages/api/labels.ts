import { apiGroup } from "./group.ts";
import type { ClusterKey } from "./names.ts";

export const labelKeys = {
  name: "app.kubernetes.io/name",
  instance: "app.kubernetes.io/instance",
  createdBy: "app.kubernetes.io/created-by",
  /** Only on objects in the controller's namespace. */
  instanceNamespace: "app.kubernetes.io/instance-namespace",
  role: `${apiGroup}/role`,
} as const;

/** The value of the label created-by on everything that is ours. */
export const createdBy = "moco";

/** What a Pod is to the Services. Without the label it gets no traffic. */
export type Role = "primary" | "replica";

/** Of all that belongs to a cluster; also what selects its Pods. */
export function clusterLabels(clusterName: string): Record<string, string> {
  return { [labelKeys.name]: "mysql", [labelKeys.instance]: clusterName, [labelKeys.createdBy]: createdBy };
}

/** Of backup and restore Jobs, which are no members of the cluster. */
export function backupLabels(clusterName: string): Record<string, string> {
  return { ...clusterLabels(clusterName), [labelKeys.name]: "mysql-backup" };
}

/** Of the record of a StatefulSet that is being made anew, which must not be taken for one of its revisions. */
export function recreationLabels(clusterName: string): Record<string, string> {
  return { ...clusterLabels(clusterName), [labelKeys.name]: recreationName };
}

/** The value of the label name on such records. */
export const recreationName = "mysql-recreation";

/** Of objects in the controller's namespace, where clusters of all namespaces meet. */
export function controllerNamespaceLabels({ namespace, name }: ClusterKey): Record<string, string> {
  return { ...clusterLabels(name), [labelKeys.instanceNamespace]: namespace };
}

/** What selects the Pods of one role. */
export function roleLabels(clusterName: string, role: Role): Record<string, string> {
  return { ...clusterLabels(clusterName), [labelKeys.role]: role };
}

/** `a=1,b=2`, as list and watch requests take it. */
export function formatSelector(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
}
