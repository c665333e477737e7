import { compareQuantities, parseQuantity } from "@moco-ts/base";
import type { FieldCause, StorageClass } from "@moco-ts/kube";
import { annotationKeys, isAnnotated } from "../annotations.ts";
import { dataClaimTemplate } from "../containers.ts";
import { forbidden, invalid, required } from "../validation/cause.ts";
import { recordOf, recordsOf, textOf } from "../validation/reading.ts";
import type { MySQLCluster, MySQLClusterSpec, VolumeClaimTemplate } from "./types.ts";

const path = "spec.volumeClaimTemplates";

const volumeName = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

interface Claim {
  readonly field: string;
  readonly name: string | undefined;
  /** As it was written; undefined if it is not there or no quantity. */
  readonly storage: string | undefined;
  readonly storageClassName: string | undefined;
}

/** What must be true of the templates by themselves. */
export function validateVolumeClaimTemplates(spec: Partial<MySQLClusterSpec>): FieldCause[] {
  const claims = recordsOf(spec.volumeClaimTemplates);
  const names = claims.map((claim) => recordOf(claim.metadata).name);
  const causes: FieldCause[] = [];
  if (!names.includes(dataClaimTemplate)) {
    causes.push(required(path, `required volume claim template ${dataClaimTemplate} is missing`));
  }
  claims.forEach((claim, at) => {
    const name = names[at];
    const storage = requestedStorage(claim);
    const field = `${path}[${at}]`;
    if (textOf(name) === undefined)
      causes.push(required(`${field}.metadata.name`, "volume claim template name is required"));
    else if (!volumeName.test(String(name)))
      causes.push(
        invalid(
          `${field}.metadata.name`,
          name,
          "volume claim template name must be a DNS label: Pods name their volumes so",
        ),
      );
    else if (names.indexOf(name) < at)
      causes.push(invalid(`${field}.metadata.name`, name, "repeated volume claim template name"));
    if (storage === undefined || storage === null) {
      causes.push(required(path, `required volume claim template ${name ?? ""} storage requests is missing`));
    } else if (!isPositive(storage)) {
      causes.push(invalid(`${field}.spec.resources.requests.storage`, storage, "storage must be a positive quantity"));
    }
  });
  return causes;
}

/** True if a template asks for more storage than before: then the StorageClasses matter. */
export function growsStorage(cluster: MySQLCluster, old: MySQLCluster): boolean {
  return resizedClaims(cluster, old).some(({ by }) => by > 0);
}

/** What may become of the templates of a cluster that exists. */
export function validateVolumeChange(
  cluster: MySQLCluster,
  old: MySQLCluster,
  storageClasses: readonly StorageClass[],
): FieldCause[] {
  const reductionAllowed = isAnnotated(cluster, annotationKeys.allowVolumeReduction);
  return resizedClaims(cluster, old).flatMap(({ claim, before, by }) => {
    if (by > 0) return validateExpansion(claim, storageClasses);
    if (reductionAllowed) return [];
    const problem =
      `storage of volume claim template ${claim.name} can only grow: ${claim.storage} is less than ${before}. ` +
      `With the annotation ${annotationKeys.allowVolumeReduction}: "true" on the MySQLCluster the template may shrink; ` +
      "volumes that exist keep their size";
    return [forbidden(`${claim.field}.spec.resources.requests.storage`, problem)];
  });
}

function resizedClaims(cluster: MySQLCluster, old: MySQLCluster) {
  const before = new Map(claimsOf(old).map(({ name, storage }) => [name, storage]));
  return claimsOf(cluster).flatMap((claim) => {
    const previous = before.get(claim.name);
    if (claim.storage === undefined || previous === undefined) return [];
    const by = compareQuantities(claim.storage, previous);
    return by === 0 ? [] : [{ claim, before: previous, by }];
  });
}

function claimsOf(cluster: MySQLCluster): Claim[] {
  return recordsOf(recordOf(cluster.spec).volumeClaimTemplates).map((template, at) => {
    const storage = requestedStorage(template);
    return {
      field: `${path}[${at}]`,
      name: textOf(recordOf(template.metadata).name),
      storage: isPositive(storage) ? String(storage) : undefined,
      storageClassName: recordOf(template.spec).storageClassName ?? undefined,
    };
  });
}

function requestedStorage(template: Partial<VolumeClaimTemplate>): unknown {
  const { resources } = recordOf(template.spec);
  return recordOf(recordOf(resources).requests)["storage"];
}

function isPositive(storage: unknown): boolean {
  try {
    return (typeof storage === "string" || typeof storage === "number") && parseQuantity(String(storage)) > 0n;
  } catch {
    // Said to the user by validateVolumeClaimTemplates.
    return false;
  }
}

function validateExpansion(claim: Claim, storageClasses: readonly StorageClass[]): FieldCause[] {
  const { storageClassName: name, field } = claim;
  const classField = `${field}.spec.storageClassName`;
  if (name === undefined) {
    const standard = defaultStorageClass(storageClasses);
    if (standard === undefined) return [forbidden(field, "not found default storage class")];
    if (standard.allowVolumeExpansion === true) return [];
    return [forbidden(field, `default storage class "${standard.metadata?.name}" is not allowed to expand volume`)];
  }
  const named = storageClasses.find(({ metadata }) => metadata?.name === name);
  if (named === undefined) return [forbidden(classField, `failed to get storage class ${name}: not found`)];
  if (named.allowVolumeExpansion === true) return [];
  return [forbidden(classField, `storage class "${name}" is not allowed to expand volume`)];
}

const defaultClassKeys = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
] as const;

/** The newest, as in Kubernetes itself, if several are marked. */
function defaultStorageClass(storageClasses: readonly StorageClass[]): StorageClass | undefined {
  const age = ({ metadata }: StorageClass): string => metadata?.creationTimestamp ?? "";
  return storageClasses
    .filter((each) => defaultClassKeys.some((key) => isAnnotated(each, key)))
    .sort((a, b) => (age(a) < age(b) ? 1 : -1))[0];
}
