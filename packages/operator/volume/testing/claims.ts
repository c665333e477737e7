import type { PersistentVolumeClaim, PersistentVolumeClaimStatus, StorageClass } from "@moco-ts/kube";
import type { ObservedClaim } from "../snapshot.ts";

export interface ClaimOptions {
  /** What is asked for. */
  readonly request: string;
  /** What the volume has. Default: what is asked for. Undefined: there is no volume yet. */
  readonly capacity?: string | undefined;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly status?: Partial<PersistentVolumeClaimStatus>;
  readonly deleted?: boolean;
}

/** A claim of the cluster `test` as Kubernetes shows it. */
export function testClaim(name: string, options: ClaimOptions): PersistentVolumeClaim {
  const { request, labels = {}, annotations = {} } = options;
  const capacity = "capacity" in options ? options.capacity : request;
  const status = capacity === undefined ? { phase: "Pending" } : { phase: "Bound", capacity: { storage: capacity } };
  return {
    metadata: {
      name,
      namespace: "shop",
      resourceVersion: "7",
      labels,
      annotations,
      ...(options.deleted && { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    },
    spec: { storageClassName: "disks", resources: { requests: { storage: request } } },
    status: { ...status, ...options.status },
  };
}

export function observed(claim: PersistentVolumeClaim, allowVolumeExpansion = true): ObservedClaim {
  const storageClass: StorageClass = { metadata: { name: "disks" }, provisioner: "test", allowVolumeExpansion };
  return { claim, storageClass };
}

/** As a resizer sets it. */
export function condition(type: string, message = "") {
  return { type, status: "True", message };
}
