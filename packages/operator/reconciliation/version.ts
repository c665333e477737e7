/** Which rules a cluster's Pods are made by. New rules would restart mysqld, so they wait until that is due anyway. */
import { containerNames, type MySQLCluster } from "@moco-ts/api";
import type { StatefulSet } from "@moco-ts/kube";
import { presentContainer } from "./stateful-set/present.ts";
import { programs } from "./stateful-set/programs.ts";

export type ReconcilerVersion = 1 | 2;

/** Of new clusters. */
export const newestVersion: ReconcilerVersion = 2;

export interface VersionInput {
  readonly cluster: MySQLCluster;
  /** The StatefulSet as it is, if there is one. */
  readonly live: StatefulSet | undefined;
  /** Whether an edit of the cluster restarts mysqld in any case, with the rules that it has. */
  readonly restarts: boolean;
}

/** A cluster rises to the newest version with an edit that restarts mysqld anyway. None ever goes back. */
export function decideVersion({ cluster, live, restarts }: VersionInput): ReconcilerVersion {
  const recorded = cluster.status?.reconcileInfo?.reconcileVersion ?? 0;
  if (recorded >= newestVersion) return newestVersion;
  // With a record but no StatefulSet, somebody is making it anew, and its Pods may be running.
  if (live === undefined) return recorded === 0 ? newestVersion : 1;
  // The record is written last: what there is may be newer than what it says.
  if (versionOf(live) === newestVersion) return newestVersion;
  // A StatefulSet without a record is MOCO's: nobody has edited anything that we know of.
  return restarts && recorded !== 0 ? newestVersion : 1;
}

/** Only since version 2 mysqld's container starts with a program of ours. */
function versionOf(live: StatefulSet): ReconcilerVersion {
  const mysqld = presentContainer(live, containerNames.mysqld);
  return mysqld?.command?.[0]?.endsWith(`/${programs.mysqld}`) ? 2 : 1;
}
