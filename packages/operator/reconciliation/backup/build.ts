/** backup: the CronJob of a cluster that has a BackupPolicy, and what its Jobs may do. */
import { backupLabels, jobNames, mysqlUsers, type BackupPolicy, type MySQLCluster } from "@moco-ts/api";
import type { Configuration, CronJob, Role, RoleBinding } from "@moco-ts/kube";
import { bucketArguments } from "../jobs/arguments.ts";
import { jobRole, jobRoleBinding } from "../jobs/access.ts";
import { jobPodTemplate } from "../jobs/pod.ts";
import { namesOfCluster, ownedMetadata } from "../metadata.ts";
import type { PodSettings } from "../security.ts";
import { withoutBlanks } from "../without-blanks.ts";

export interface BackupInput extends PodSettings {
  readonly cluster: MySQLCluster;
  readonly policy: BackupPolicy;
  readonly image: string;
}

export function buildBackupCronJob({ cluster, policy, image, ...settings }: BackupInput): Configuration<CronJob> {
  const { schedule, concurrencyPolicy, jobConfig, ...optional } = withoutBlanks(policy.spec);
  const { activeDeadlineSeconds, backoffLimit, ...ofCronJob } = optional;
  const { namespace, name } = cluster.metadata;
  const labels = backupLabels(name);
  const template = jobPodTemplate({
    cluster,
    config: jobConfig,
    image,
    containerName: jobNames.backupContainer,
    args: ["backup", ...bucketArguments(jobConfig), namespace, name],
    user: mysqlUsers.backup,
    ...settings,
  });
  return {
    metadata: ownedMetadata(cluster, namesOfCluster(cluster).backup, labels),
    spec: {
      schedule,
      concurrencyPolicy,
      ...ofCronJob,
      jobTemplate: {
        metadata: { labels },
        spec: {
          ...(activeDeadlineSeconds !== undefined && { activeDeadlineSeconds }),
          ...(backoffLimit !== undefined && { backoffLimit }),
          template,
        },
      },
    },
  };
}

export function buildBackupRole(cluster: MySQLCluster): Configuration<Role> {
  const verbs = { pods: ["get", "list", "watch"], events: ["create", "update", "patch"] };
  return jobRole(cluster, namesOfCluster(cluster).backup, verbs);
}

export function buildBackupRoleBinding(cluster: MySQLCluster, policy: BackupPolicy): Configuration<RoleBinding> {
  return jobRoleBinding(cluster, namesOfCluster(cluster).backup, policy.spec.jobConfig.serviceAccountName);
}
