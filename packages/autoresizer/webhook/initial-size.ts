import type { PersistentVolumeClaim, StorageClass } from "@moco-ts/kube";
import { annotationKeys } from "../annotations.ts";
import { readLimit } from "../decision/policy.ts";
import { capacityOf, requestOf } from "../decision/snapshot.ts";
import { quantityText } from "../decision/text.ts";
import { groupLabelOf } from "../groups.ts";

/** What becomes of a claim that is about to be created. */
export type InitialSize =
  | { readonly kind: "unchanged"; readonly message: string; readonly warning?: string | undefined }
  /** Somebody made a mistake, and should know now rather than when the volume is too small. */
  | { readonly kind: "refused"; readonly message: string }
  | {
      readonly kind: "larger";
      readonly request: bigint;
      readonly claim: PersistentVolumeClaim;
      readonly warning?: string | undefined;
    };

/** Finds all claims in the namespace with the label, those that are being deleted among them. */
export type ReadMembers = (selector: string) => Promise<readonly PersistentVolumeClaim[]>;

/**
 * The size that a new claim starts with: that of the largest in its group, so that whatever the others hold fits in, but
 * at most its limit, and never less than it asks for. Throws if the limit can't be understood.
 */
export async function decideInitialSize(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
  readMembers: ReadMembers,
): Promise<InitialSize> {
  const group = groupLabelOf(claim, annotationKeys.initialResizeGroupBy);
  if (group === undefined) return { kind: "unchanged", message: "annotation not set" };
  if (group.value === "") return { kind: "refused", message: `no value is set to the label key ${group.key}` };
  const limit = readLimit(claim, storageClass);
  const own = requestOf(claim);
  const members = await readMembers(`${group.key}=${group.value}`);
  const largest = members.map(sizeOf).reduce(larger, own);
  const request = larger(own, limit === 0n || largest < limit ? largest : limit);
  const warning =
    request < largest
      ? `another PVC of the group has ${quantityText(largest)}, and the limit of this one is ${quantityText(limit)}`
      : undefined;
  if (request === own) return { kind: "unchanged", message: "PVC request storage size unchanged", warning };
  return { kind: "larger", request, claim: withRequest(claim, request), warning };
}

/**
 * A member counts with what it asks for, which it has or is about to have. One that was bound to a larger volume may hold
 * more than it ever asked for.
 */
function sizeOf(member: PersistentVolumeClaim): bigint {
  return larger(requestOf(member), capacityOf(member));
}

function withRequest(claim: PersistentVolumeClaim, request: bigint): PersistentVolumeClaim {
  const { spec } = claim;
  const requests = { ...spec?.resources?.requests, storage: quantityText(request) };
  return { ...claim, spec: { ...spec, resources: { ...spec?.resources, requests } } };
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
