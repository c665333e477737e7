import type { KubeObject } from "@moco-ts/kube";
import { apiGroup } from "./group.ts";

export const annotationKeys = {
  /** On a Pod: the primary shall be another one. Removed once it is. */
  demote: `${apiGroup}/demote`,
  /** On a Pod beside `demote`: the index of the instance that shall be the primary. Removed with it. */
  switchoverTo: `${apiGroup}/switchover-to`,
  /** On a Pod that is no primary: its data shall be made anew from a healthy instance's. The operator removes it. */
  reclone: `${apiGroup}/reclone`,
  /** On a Pod: it must not be deleted now. */
  preventDelete: `${apiGroup}/prevent-delete`,
  /** On a MySQLCluster: replication, failover and switchover are left to a person. */
  clusteringStopped: `${apiGroup}/clustering-stopped`,
  /** On a MySQLCluster: its resources stay as they are. */
  reconciliationStopped: `${apiGroup}/reconciliation-stopped`,
  /** On a MySQLCluster, copied to its StatefulSet: updates roll out without waiting for the cluster's health. */
  forceRollingUpdate: `${apiGroup}/force-rolling-update`,
  /** On a MySQLCluster: errant instances are cloned again by themselves, and lose what only they have. */
  autoRecloneErrant: `${apiGroup}/auto-reclone-errant`,
  /**
   * On a MySQLCluster: server_uuids, separated by commas, of instances that are lost and whose mysqld has ended for sure, by
   * the word of a person. The operator removes it once it does without them.
   */
  endedServers: `${apiGroup}/ended-servers`,
  /** On a MySQLCluster: volume claim templates may ask for less storage than before. */
  allowVolumeReduction: `${apiGroup}/allow-volume-reduction`,
  /** On a Secret with a certificate: when its `ca.crt` last gained an authority. */
  authoritiesSince: `${apiGroup}/authorities-since`,
  /** On a Secret with passwords: the version of its form. */
  secretVersion: `${apiGroup}/secret-version`,
} as const;

/** The only form of password Secrets that there is. */
export const secretVersion = "1";

/** True if the annotation is there and says "true": nothing else switches something on. */
export function isAnnotated(object: KubeObject, key: string): boolean {
  return object.metadata?.annotations?.[key] === "true";
}
