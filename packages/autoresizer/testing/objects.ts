import type { PersistentVolumeClaim, PersistentVolumeClaimStatus, StorageClass } from "@moco-ts/kube";
import type { Rules } from "../decision/decide.ts";
import type { VolumeUsage } from "../usage/usage.ts";

export const gibibyte = 1024 ** 3;
const prefix = "resize.topolvm.io/";

/** Annotations by what comes after `resize.topolvm.io/`. */
export type Annotations = Readonly<Record<string, string | undefined>>;

export interface ClaimOptions {
  readonly name?: string;
  readonly namespace?: string;
  readonly annotations?: Annotations;
  readonly labels?: Record<string, string>;
  readonly request?: string;
  /** Default: what is asked for. */
  readonly capacity?: string;
  readonly volumeMode?: string;
  readonly storageClassName?: string;
  readonly deletionTimestamp?: string;
  readonly status?: PersistentVolumeClaimStatus;
}

/** A claim of 10Gi that may grow up to 100Gi. */
export function testClaim(options: ClaimOptions = {}): PersistentVolumeClaim {
  const { name = "data", namespace = "default", request = "10Gi", capacity = request, labels } = options;
  const { volumeMode, storageClassName = "standard", deletionTimestamp } = options;
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name,
      namespace,
      uid: `uid-of-${name}`,
      resourceVersion: "1",
      annotations: annotationsOf({ storage_limit: "100Gi", ...options.annotations }),
      ...(labels && { labels }),
      ...(deletionTimestamp && { deletionTimestamp }),
    },
    spec: {
      accessModes: ["ReadWriteOnce"],
      storageClassName,
      resources: { requests: { storage: request } },
      ...(volumeMode && { volumeMode }),
    },
    status: { phase: "Bound", capacity: { storage: capacity }, ...options.status },
  };
}

/** A class whose claims are managed. */
export function testClass(annotations: Annotations = {}, allowVolumeExpansion = true): StorageClass {
  return {
    metadata: { name: "standard", annotations: annotationsOf({ enabled: "true", ...annotations }) },
    provisioner: "test",
    allowVolumeExpansion,
  };
}

export function annotationsOf(annotations: Annotations): Record<string, string> {
  const given = Object.entries(annotations).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [prefix + name, value]));
}

/** A volume of 10 GiB of which so much is free: 50 % of the bytes and of the inodes by default. */
export function testUsage(usage: Partial<VolumeUsage> = {}): VolumeUsage {
  return { capacity: 10 * gibibyte, available: 5 * gibibyte, inodes: 1000, inodesFree: 500, ...usage };
}

export const testRules: Rules = { needEnabled: true, cooldown: 0, resizeTimeout: 900_000, retryAfter: 3_600_000 };
