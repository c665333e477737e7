import { isDeepStrictEqual } from "node:util";
import { describeError, parseSchedule } from "@moco-ts/base";
import type { FieldCause, StorageClass } from "@moco-ts/kube";
import { forbidden, invalid } from "../validation/cause.ts";
import { numberOf, recordOf, textOf } from "../validation/reading.ts";
import type { MySQLCluster, MySQLClusterSpec } from "./types.ts";
import { validatePodTemplate } from "./validate-pod-template.ts";
import { validateVolumeChange, validateVolumeClaimTemplates } from "./validate-volumes.ts";

/** Names of CronJobs have 52 characters at most, and `moco-backup-` comes in front. */
const longestName = 40;

export const decreasedReplicas = forbidden("spec.replicas", "decreasing replicas is not supported yet");

/** What is wrong with a cluster that is about to be created. */
export function validateMySQLClusterCreation(cluster: MySQLCluster): FieldCause[] {
  return [...validateName(textOf(recordOf(cluster.metadata).name) ?? ""), ...validateMySQLCluster(cluster)];
}

/**
 * What is wrong with a change to a cluster. One that leaves spec alone is never wrong: labels, annotations and finalizers
 * can be changed however the cluster came to be what it is.
 */
export function validateMySQLClusterUpdate(
  cluster: MySQLCluster,
  old: MySQLCluster,
  storageClasses: readonly StorageClass[],
): FieldCause[] {
  if (isDeepStrictEqual(cluster.spec, old.spec)) return [];
  return [
    ...validateChange(recordOf(cluster.spec), recordOf(old.spec)),
    ...validateVolumeChange(cluster, old, storageClasses),
    ...validateMySQLCluster(cluster),
  ];
}

/** What is wrong with a cluster as it is, wherever it comes from. */
export function validateMySQLCluster(cluster: MySQLCluster): FieldCause[] {
  const spec: Partial<MySQLClusterSpec> = recordOf(cluster.spec);
  return [
    ...validateVolumeClaimTemplates(spec),
    ...validateNumbers(spec),
    ...validateLogRotation(spec),
    ...validatePodTemplate(spec),
  ];
}

function validateName(name: string): FieldCause[] {
  const field = "metadata.name";
  return [
    ...(name.length > longestName
      ? [invalid(field, name, `required name must be ${longestName} characters or less`)]
      : []),
    ...(name.includes(".") ? [invalid(field, name, "name must not have dots: Services are named after it")] : []),
  ];
}

function validateNumbers(spec: Partial<MySQLClusterSpec>): FieldCause[] {
  const causes: FieldCause[] = [];
  const serverIDBase = numberOf(spec.serverIDBase);
  if (serverIDBase <= 0) {
    causes.push(invalid("spec.serverIDBase", serverIDBase, "serverIDBase must be a positive integer"));
  }
  const replicas = numberOf(spec.replicas);
  if (replicas % 2 === 0) {
    causes.push(invalid("spec.replicas", replicas, "replicas must be a positive odd number"));
  }
  if (replicas <= 0) causes.push(invalid("spec.replicas", replicas, "replicas must be a positive integer"));
  return causes;
}

function validateLogRotation({ logRotationSchedule, logRotationSize }: Partial<MySQLClusterSpec>): FieldCause[] {
  const size = numberOf(logRotationSize);
  return [
    ...validateSchedule("spec.logRotationSchedule", textOf(logRotationSchedule)),
    ...(size < 0 ? [invalid("spec.logRotationSize", size, "logRotationSize must be a positive integer or zero")] : []),
  ];
}

export function validateSchedule(field: string, schedule: string | undefined): FieldCause[] {
  if (schedule === undefined) return [];
  try {
    parseSchedule(schedule);
    return [];
  } catch (error) {
    return [invalid(field, schedule, describeError(error))];
  }
}

function validateChange(spec: Partial<MySQLClusterSpec>, old: Partial<MySQLClusterSpec>): FieldCause[] {
  const causes: FieldCause[] = [];
  if (numberOf(spec.replicas) < numberOf(old.replicas)) {
    causes.push(decreasedReplicas);
  }
  const [source, oldSource] = [spec.replicationSourceSecretName ?? null, old.replicationSourceSecretName ?? null];
  if (source !== null && source !== oldSource) {
    const problem =
      oldSource === null
        ? "replication can be initiated only with new clusters"
        : "replication source secret name cannot be modified";
    causes.push(forbidden("spec.replicationSourceSecretName", problem));
  }
  if (!isDeepStrictEqual(meaningOf(spec.restore), meaningOf(old.restore))) {
    causes.push(forbidden("spec.restore", "not editable"));
  }
  return causes;
}

/** Without what makes no difference: nulls, and whether a number was written as text. */
function meaningOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(meaningOf);
  if (typeof value === "number") return String(value);
  if (typeof value !== "object" || value === null) return value ?? undefined;
  const entries = Object.entries(value).filter(([, each]) => each !== null && each !== undefined);
  return Object.fromEntries(entries.map(([name, each]) => [name, meaningOf(each)]));
}
