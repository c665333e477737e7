/**
 * volume: the disks of a cluster's instances.
 *
 * Claims grow when their template does, at once and whatever the state of the database: a full disk is when that is
 * needed. A StatefulSet's claim templates can't be changed, so that it is then made anew around its running Pods.
 *
 * - observe.ts, snapshot.ts: what there is
 * - decide.ts: what is to be done with each claim, a pure function
 * - claims.ts: doing that
 * - condition.ts: what users are told
 * - recreate.ts: the StatefulSet anew, with record.ts so that it is never lost on the way
 */
import type { MySQLCluster } from "@moco-ts/api";
import type { PersistentVolumeClaim, StorageClass } from "@moco-ts/kube";

/** A claim of the cluster, and the StorageClass that its volume came from. */
export interface ObservedClaim {
  readonly claim: PersistentVolumeClaim;
  /** Undefined if it has none, or one that does not exist any more. */
  readonly storageClass: StorageClass | undefined;
}

export interface VolumeSnapshot {
  readonly cluster: MySQLCluster;
  readonly claims: readonly ObservedClaim[];
}

/** Labels and annotations that follow the templates, as the controller's flags name them. */
export interface SyncedKeys {
  readonly labelKeys: readonly string[];
  readonly annotationKeys: readonly string[];
}
