import type { EventContent } from "@moco-ts/kube";

/** The component that Events are recorded for. */
export const eventComponent = "moco-controller";

/** Everything that is told of a MySQLCluster, with the texts that users' alerts look for. */
export const clusterEvents = {
  initCloned: () => normal("InitCloned", "Clone from an external mysqld succeeded"),
  initCloneFailed: (problem: string) => warning("InitCloneFailed", `Clone from an external mysqld failed: ${problem}`),
  switchOver: (ordinal: number) =>
    normal("SwitchOver", `The primary was changed to instance ${ordinal} due to a switchover`),
  switchOverFailed: (problem: string) => warning("SwitchOverFailed", `The primary could not be changed: ${problem}`),
  failOver: (ordinal: number) => normal("FailOver", `The primary was changed to instance ${ordinal} due to a failover`),
  failOverFailed: (problem: string) => warning("FailOverFailed", `The primary could not be changed: ${problem}`),
  cloned: (ordinal: number) => normal("Cloned", `Clone from the primary succeeded for instance ${ordinal}`),
  cloneFailed: (ordinal: number, problem: string) =>
    warning("CloneFailed", `Clone from the primary failed for instance ${ordinal}: ${problem}`),
  failOverEvidence: (ordinal: number, evidence: string) =>
    normal("FailOverEvidence", `Instance ${ordinal} was promoted: ${evidence}`),
  errantFound: (ordinal: number) =>
    warning(
      "ErrantReplica",
      `Instance ${ordinal} has transactions that the primary does not have and takes no part any more: save what it alone has, then run \`kubectl moco reclone\``,
    ),
  clusteringFailed: (problem: string) => warning("ClusteringFailed", `A step could not be taken: ${problem}`),
  writable: () => normal("Writable", "The primary became writable"),
  backupCreated: () => normal("BackupCreated", "Backup created"),
  backupNoBinlog: () => warning("BackupNoBinlog", "Backup created w/o binlog files"),
  restored: () => normal("Restored", "Successfully restored data from backup"),
  statefulSetRecreated: () =>
    normal(
      "StatefulSetRecreated",
      "The StatefulSet was made anew for its volume claim templates; its Pods go on running",
    ),
  rolloutStopped: (problem: string) => warning("RolloutStopped", `The rolling update has stopped: ${problem}`),
} as const;

/** What is told of a StatefulSet. */
export const statefulSetEvents = {
  partitionUpdate: (from: number, to: number) => normal("PartitionUpdate", `Updated partition from ${from} to ${to}`),
  stuckPodDeleted: (pod: string) =>
    normal("StuckPodDeleted", `Deleted Pod ${pod}, which is of an older revision and does not start`),
} as const;

function normal(reason: string, message: string): EventContent {
  return { type: "Normal", reason, message };
}

function warning(reason: string, message: string): EventContent {
  return { type: "Warning", reason, message };
}
