import type { PersistentVolumeClaim, StorageClass } from "@moco-ts/kube";
import { annotationKeys } from "../annotations.ts";
import { annotation, AnnotationError, readLimit } from "./policy.ts";

export interface Selection {
  /** Whether a StorageClass must say that its claims are managed. */
  readonly needEnabled: boolean;
}

/** Why a claim is not ours to manage, or undefined if it is. */
export function whyIgnored(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
  { needEnabled }: Selection,
): string | undefined {
  const { metadata, spec, status } = claim;
  if (storageClass === undefined) return "it has no StorageClass";
  if (needEnabled && annotation(storageClass, annotationKeys.enabled) !== "true") {
    return `its StorageClass lacks the annotation ${annotationKeys.enabled}: "true"`;
  }
  if (metadata?.deletionTimestamp !== undefined) return "it is being deleted";
  if ((spec?.volumeMode ?? "Filesystem") !== "Filesystem") return "its volume has no file system";
  if (status?.phase !== "Bound") return "it is not bound to a volume";
  return hasNoLimit(claim, storageClass) ? `${annotationKeys.storageLimit} is missing or 0` : undefined;
}

/** One that can't be understood is meant to be one: its users are told. */
function hasNoLimit(claim: PersistentVolumeClaim, storageClass: StorageClass): boolean {
  try {
    return readLimit(claim, storageClass) === 0n;
  } catch (error) {
    if (error instanceof AnnotationError) return false;
    throw error;
  }
}
