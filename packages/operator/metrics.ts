/** All that the controller tells of clusters on /metrics: every family once, under the names that dashboards know. */
import type { Metrics } from "@moco-ts/base";

/** Which cluster a series is about. */
export interface ClusterLabels {
  readonly name: string;
  readonly namespace: string;
}

export type ClusterMetrics = ReturnType<typeof createClusterMetrics>;

const labelNames = ["name", "namespace"] as const;
const processingBuckets = [0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 30];

/**
 * @example
 * const families = createClusterMetrics(metrics);
 * families.failovers.inc(metricLabels(cluster));
 * families.forget("prod", "test");
 */
export function createClusterMetrics(metrics: Metrics) {
  const counter = (name: string, help: string) => metrics.counter(`moco_cluster_${name}`, help, labelNames);
  const gauge = (name: string, help: string) => metrics.gauge(`moco_cluster_${name}`, help, labelNames);
  const ofBackup = (name: string, help: string) => metrics.gauge(`moco_backup_${name}`, help, labelNames);
  const ofClusters = {
    // Clustering
    checks: counter("checks_total", "Checks of the cluster's replication"),
    errors: counter("errors_total", "Checks that failed"),
    available: gauge("available", "1 if the cluster takes writes, 0 if not"),
    healthy: gauge("healthy", "1 if all instances work, 0 if not"),
    switchovers: counter("switchover_total", "Planned changes of the primary"),
    failovers: counter("failover_total", "Changes of the primary because it was lost"),
    replicas: gauge("replicas", "Instances that the cluster should have"),
    readyReplicas: gauge("ready_replicas", "Instances whose Pod is ready"),
    errantReplicas: gauge("errant_replicas", "Instances with transactions that the primary does not have"),
    processingTime: metrics.histogram(
      "moco_cluster_processing_time_seconds",
      "How long checks took",
      labelNames,
      processingBuckets,
    ),
    clusteringStopped: gauge("clustering_stopped", "1 while a person has stopped clustering"),
    // Reconciliation
    reconciliationStopped: gauge("reconciliation_stopped", "1 while a person has stopped reconciliation"),
    // Volumes
    volumesResized: counter("volume_resized_total", "Volume expansions"),
    volumeResizeErrors: counter("volume_resized_errors_total", "Volume expansions that failed"),
    statefulSetsRecreated: counter("statefulset_recreate_total", "StatefulSets that were made anew"),
    statefulSetRecreateErrors: counter("statefulset_recreate_errors_total", "StatefulSets that could not be made anew"),
    // Rolling updates
    currentReplicas: gauge("current_replicas", "Instances of the StatefulSet's current revision"),
    updatedReplicas: gauge("updated_replicas", "Instances of the StatefulSet's newest revision"),
    lastPartitionUpdated: gauge("last_partition_updated", "When the partition was lowered last, in Unix time"),
    rolloutStopped: gauge("rollout_stopped", "1 while a Pod that fails stops a rolling update"),
    // The last backup
    backupTimestamp: ofBackup("timestamp", "When the last backup was made, in Unix time"),
    backupElapsed: ofBackup("elapsed_seconds", "How long the last backup took"),
    backupDumpBytes: ofBackup("dump_bytes", "Size of the last dump"),
    backupBinlogBytes: ofBackup("binlog_bytes", "Size of the last backup's binary logs"),
    backupWorkDirectoryBytes: ofBackup("workdir_usage_bytes", "Space that the last backup used to work"),
    backupWarnings: ofBackup("warnings", "Warnings of the last backup"),
  };
  return {
    ...ofClusters,
    /** Of all clusters in a namespace: it outlives each of them. */
    partitionUpdateRetries: metrics.counter(
      "moco_cluster_partition_update_retries_total",
      "Steps of rolling updates that had to be tried again",
      ["namespace"],
    ),
    /** Ends all series of a cluster that is gone. */
    forget(namespace: string, name: string): void {
      for (const family of Object.values(ofClusters)) family.remove({ name, namespace });
    },
  };
}

export function metricLabels({ metadata }: { readonly metadata: ClusterLabels }): ClusterLabels {
  return { name: metadata.name, namespace: metadata.namespace };
}
