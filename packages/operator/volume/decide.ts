import { claimName, clusterLabels, ordinalOf, type MySQLCluster, type VolumeClaimTemplate } from "@moco-ts/api";
import { compareQuantities, parseQuantity } from "@moco-ts/base";
import type { PersistentVolumeClaim } from "@moco-ts/kube";
import type { ObservedClaim, SyncedKeys, VolumeSnapshot } from "./snapshot.ts";

/** How a claim stands to its template. Only `grow` is something to do; users are told of all others. */
export type ClaimSize =
  /** The volume has what the template asks for, or more: an autoresizer grows volumes too. */
  | { readonly kind: "enough" }
  | { readonly kind: "grow"; readonly from: string; readonly to: string }
  /** It can't be changed before it has a volume. */
  | { readonly kind: "unbound"; readonly to: string }
  /** It is too small, and its StorageClass lets no volume grow. */
  | { readonly kind: "fixed"; readonly to: string; readonly storageClass: string }
  /** More was asked for, and the volume is on its way there. */
  | { readonly kind: "growing"; readonly from: string; readonly to: string }
  /** The volume has grown, and its file system waits for another Pod. */
  | { readonly kind: "restart"; readonly to: string }
  | { readonly kind: "failed"; readonly to: string; readonly problem: string };

export interface ClaimPlan {
  readonly claim: PersistentVolumeClaim;
  readonly size: ClaimSize;
  /** What has to be set in its metadata: keys that were asked for, and nothing else. Undefined if all is as it should be. */
  readonly metadata: SyncedMetadata | undefined;
}

export interface SyncedMetadata {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What is to be done with each claim that has a template. */
export function decide({ cluster, claims }: VolumeSnapshot, keys: SyncedKeys): ClaimPlan[] {
  return claims.flatMap((observed) => {
    const template = templateOf(cluster, observed.claim);
    if (template === undefined || observed.claim.metadata?.deletionTimestamp !== undefined) return [];
    const metadata = decideMetadata(template, observed.claim, keys);
    return [{ claim: observed.claim, size: decideSize(storageOf(template), observed), metadata }];
  });
}

/** Claims are found by their names, as Pods find them: `mysql-data-moco-NAME-0`. */
function templateOf({ metadata, spec }: MySQLCluster, claim: PersistentVolumeClaim): VolumeClaimTemplate | undefined {
  const name = claim.metadata?.name ?? "";
  const ordinal = ordinalOf(name);
  if (ordinal === undefined) return undefined;
  return spec.volumeClaimTemplates.find((each) => claimName(each.metadata.name ?? "", metadata.name, ordinal) === name);
}

/** Undefined if the template does not say, or not in a way that anybody understands. */
function storageOf({ spec }: VolumeClaimTemplate): string | undefined {
  const given: unknown = spec.resources?.requests?.["storage"];
  if (typeof given !== "string" && typeof given !== "number") return undefined;
  try {
    parseQuantity(String(given));
    return String(given);
  } catch {
    // Told by the validation of the whole cluster.
    return undefined;
  }
}

function decideSize(wanted: string | undefined, { claim, storageClass }: ObservedClaim): ClaimSize {
  const { spec, status } = claim;
  const from = spec?.resources?.requests?.["storage"] ?? "0";
  if (wanted !== undefined && compareQuantities(from, wanted) < 0) {
    if (status?.phase !== "Bound") return { kind: "unbound", to: wanted };
    if (storageClass?.allowVolumeExpansion === true) return { kind: "grow", from, to: wanted };
    return { kind: "fixed", to: wanted, storageClass: spec?.storageClassName ?? "" };
  }
  const capacity = status?.capacity?.["storage"];
  if (capacity === undefined || compareQuantities(capacity, from) >= 0) return { kind: "enough" };
  const problem = problemOf(claim);
  if (problem !== undefined) return { kind: "failed", to: from, problem };
  if (conditionOf(claim, "FileSystemResizePending")) return { kind: "restart", to: from };
  return { kind: "growing", from: capacity, to: from };
}

/** What a resizer says went wrong. It may be trying again. */
function problemOf(claim: PersistentVolumeClaim): string | undefined {
  const error = conditionOf(claim, "ControllerResizeError") ?? conditionOf(claim, "NodeResizeError");
  if (error) return error.message ?? error.reason ?? error.type;
  const stage = claim.status?.allocatedResourceStatuses?.["storage"];
  return stage?.endsWith("Infeasible") ? stage : undefined;
}

function conditionOf({ status }: PersistentVolumeClaim, type: string) {
  return status?.conditions?.find((each) => each.type === type && each.status === "True");
}

/** These say whose a claim is: the StatefulSet's controller sets them, whatever the template says. */
const reservedLabels: readonly string[] = Object.keys(clusterLabels(""));

function decideMetadata(
  { metadata: template }: VolumeClaimTemplate,
  { metadata }: PersistentVolumeClaim,
  keys: SyncedKeys,
): SyncedMetadata | undefined {
  const labelled = keys.labelKeys.filter((key) => !reservedLabels.includes(key));
  const labels = missing(template.labels, metadata?.labels, labelled);
  const annotations = missing(template.annotations, metadata?.annotations, keys.annotationKeys);
  if (labels === undefined && annotations === undefined) return undefined;
  return { ...(labels && { labels }), ...(annotations && { annotations }) };
}

type Texts = Readonly<Record<string, string>> | null | undefined;

/** What the template says under these keys, and the claim does not. A key that the template lacks is left alone. */
function missing(wanted: Texts, present: Texts, keys: readonly string[]): Record<string, string> | undefined {
  const entries = keys.flatMap((key) => {
    const value = wanted?.[key];
    return value === undefined || value === present?.[key] ? [] : [[key, value] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
