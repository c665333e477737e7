import { backupLabels, clusterLabels, type BackupPolicy, type MySQLCluster } from "@moco-ts/api";
import { CodedError } from "@moco-ts/base";
import { CronJobs, Jobs, keyOf, PodDisruptionBudgets, prune, RoleBindings, Roles } from "@moco-ts/kube";
import { ownedIn } from "../caches.ts";
import { buildBackupCronJob, buildBackupRole, buildBackupRoleBinding } from "./backup/build.ts";
import { ensureCertificate } from "./certificates/ensure.ts";
import { namesOfCluster } from "./metadata.ts";
import { ensurePasswords } from "./passwords.ts";
import { buildPodDisruptionBudget } from "./pod-disruption-budget/build.ts";
import { buildRestoreJob, buildRestoreRole, buildRestoreRoleBinding } from "./restore/build.ts";
import { buildMyCnfSecret, buildUsersSecret } from "./secrets/build.ts";
import { buildServiceAccount } from "./service-account/build.ts";
import { buildHeadlessService, buildPrimaryService, buildReplicaService } from "./services/build.ts";
import { ensure, liveOf, type Tools } from "./tools.ts";

/** Passwords, certificates and accounts: what Pods need before there is any. */
export async function makeCredentials(tools: Tools, cluster: MySQLCluster, signal: AbortSignal): Promise<void> {
  const { caches } = tools;
  const passwords = await ensurePasswords(tools, cluster, signal);
  await ensure(tools, caches.secrets, buildUsersSecret(cluster, passwords), signal);
  await ensure(tools, caches.secrets, buildMyCnfSecret(cluster, passwords), signal);
  await ensureCertificate(tools, cluster, signal);
  await ensure(tools, caches.serviceAccounts, buildServiceAccount(cluster), signal);
}

export async function makeServices(tools: Tools, cluster: MySQLCluster, signal: AbortSignal): Promise<void> {
  for (const build of [buildHeadlessService, buildPrimaryService, buildReplicaService]) {
    await ensure(tools, tools.caches.services, build(cluster), signal);
  }
}

export async function makeDisruptionBudget(tools: Tools, cluster: MySQLCluster, signal: AbortSignal): Promise<void> {
  const { caches, client } = tools;
  const { name } = cluster.metadata;
  const wanted = buildPodDisruptionBudget(cluster, { backupIsRunning: isBackupRunning(tools, cluster) });
  if (wanted) await ensure(tools, caches.podDisruptionBudgets, wanted, signal);
  const live = ownedIn(caches.podDisruptionBudgets, cluster);
  const kinds = [{ resource: PodDisruptionBudgets, keep: keysOf(wanted), live }];
  await prune({ client, owner: cluster, labels: clusterLabels(name), kinds, signal });
}

/** People start backups by hand too, which the CronJob's own status does not tell of. */
function isBackupRunning({ caches }: Tools, cluster: MySQLCluster): boolean {
  const key = { namespace: cluster.metadata.namespace, name: namesOfCluster(cluster).backup };
  const cronJob = caches.cronJobs.cache.get(keyOf(key));
  if (cronJob === undefined) return false;
  const byHand = ownedIn(caches.jobs, cronJob).some(({ status }) => (status?.active ?? 0) > 0);
  return byHand || (cronJob.status?.active ?? []).length > 0;
}

/** The CronJob for backups and the Job that restores, with what they may do; or their removal. */
export async function makeJobs(tools: Tools, cluster: MySQLCluster, signal: AbortSignal): Promise<void> {
  const { caches, client, config } = tools;
  const settings = { image: config.images.backup, defaultSecurityContext: config.defaultSecurityContext };
  const policy = policyOf(tools, cluster);
  const cronJob = policy && buildBackupCronJob({ cluster, policy, ...settings });
  const { restore } = cluster.spec;
  const wanted = restore && cluster.status?.restoredTime === undefined ? restore : undefined;
  const job = wanted && buildRestoreJob({ cluster, restore: wanted, ...settings });
  const roles = [policy && buildBackupRole(cluster), wanted && buildRestoreRole(cluster)];
  const bindings = [
    policy && buildBackupRoleBinding(cluster, policy),
    wanted && buildRestoreRoleBinding(cluster, wanted),
  ];
  for (const role of roles) if (role) await ensure(tools, caches.roles, role, signal);
  for (const binding of bindings) if (binding) await ensure(tools, caches.roleBindings, binding, signal);
  if (cronJob) await ensure(tools, caches.cronJobs, cronJob, signal);
  // A Job can't be changed, and one that failed tells why: it is made once, and again if somebody deletes it.
  if (job && liveOf(caches.jobs, job) === undefined) await ensure(tools, caches.jobs, job, signal);
  const kinds = [
    { resource: CronJobs, keep: keysOf(cronJob), live: ownedIn(caches.cronJobs, cluster) },
    { resource: Jobs, keep: keysOf(job), live: ownedIn(caches.jobs, cluster) },
    { resource: Roles, keep: keysOf(...roles), live: ownedIn(caches.roles, cluster) },
    { resource: RoleBindings, keep: keysOf(...bindings), live: ownedIn(caches.roleBindings, cluster) },
  ];
  await prune({ client, owner: cluster, labels: backupLabels(cluster.metadata.name), kinds, signal });
}

function policyOf({ caches }: Tools, { metadata, spec }: MySQLCluster): BackupPolicy | undefined {
  const name = spec.backupPolicyName;
  if (!name) return undefined;
  const policy = caches.policies.cache.get(keyOf({ namespace: metadata.namespace, name }));
  if (policy) return policy;
  const message = `BackupPolicy ${name} of spec.backupPolicyName does not exist: create it, or remove the field`;
  throw new CodedError("BACKUP_POLICY_MISSING", message);
}

function keysOf(...wanted: ({ metadata: { namespace?: string | null; name: string } } | null | undefined)[]): string[] {
  return wanted.flatMap((each) =>
    each ? [keyOf({ namespace: each.metadata.namespace ?? undefined, name: each.metadata.name })] : [],
  );
}
