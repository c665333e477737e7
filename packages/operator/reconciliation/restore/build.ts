/** restore: the Job that fills a new cluster from a backup, and what it may do. */
import { backupLabels, jobNames, mysqlUsers, type MySQLCluster, type RestoreSpec } from "@moco-ts/api";
import { CodedError } from "@moco-ts/base";
import type { Configuration, Job, Role, RoleBinding } from "@moco-ts/kube";
import { bucketArguments } from "../jobs/arguments.ts";
import { jobRole, jobRoleBinding } from "../jobs/access.ts";
import { jobPodTemplate } from "../jobs/pod.ts";
import { namesOfCluster, ownedMetadata } from "../metadata.ts";
import type { PodSettings } from "../security.ts";
import { withoutBlanks } from "../without-blanks.ts";

export interface RestoreInput extends PodSettings {
  readonly cluster: MySQLCluster;
  readonly restore: RestoreSpec;
  readonly image: string;
}

/**
 * To be created if there is none, and left alone then: a Job can't be changed, and one that failed tells why. Whoever
 * deletes it gets another try.
 */
export function buildRestoreJob({ cluster, restore, image, ...settings }: RestoreInput): Configuration<Job> {
  const { sourceNamespace, sourceName, restorePoint, schema = "", users = "", jobConfig } = withoutBlanks(restore);
  const { namespace, name } = cluster.metadata;
  const from = [sourceNamespace, sourceName];
  const to = [namespace, name];
  const template = jobPodTemplate({
    cluster,
    config: jobConfig,
    image,
    containerName: jobNames.restoreContainer,
    args: ["restore", ...bucketArguments(jobConfig), ...from, ...to, formatRestorePoint(restorePoint), schema, users],
    user: mysqlUsers.admin,
    ...settings,
  });
  return {
    metadata: ownedMetadata(cluster, namesOfCluster(cluster).restore, backupLabels(name)),
    spec: { backoffLimit: 0, template },
  };
}

export function buildRestoreRole(cluster: MySQLCluster): Configuration<Role> {
  return jobRole(cluster, namesOfCluster(cluster).restore, { pods: ["get"], events: ["create"] });
}

export function buildRestoreRoleBinding(cluster: MySQLCluster, restore: RestoreSpec): Configuration<RoleBinding> {
  return jobRoleBinding(cluster, namesOfCluster(cluster).restore, restore.jobConfig.serviceAccountName);
}

/** `20260131-120000`, in UTC: as backups are named. */
function formatRestorePoint(restorePoint: string): string {
  const time = new Date(restorePoint);
  if (Number.isNaN(time.getTime())) {
    throw new CodedError("RESTORE_POINT_INVALID", `spec.restore.restorePoint is not a time: ${restorePoint}`);
  }
  return time.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
}
