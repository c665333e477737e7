import { annotationKeys, isAnnotated, type MySQLCluster } from "@moco-ts/api";
import { parseDuration } from "@moco-ts/base";
import { metricLabels, type ClusterMetrics } from "../metrics.ts";

/** What the cluster itself says, on /metrics. */
export function tellMetrics(metrics: ClusterMetrics, cluster: MySQLCluster): void {
  const labels = metricLabels(cluster);
  metrics.reconciliationStopped.set(labels, isAnnotated(cluster, annotationKeys.reconciliationStopped) ? 1 : 0);
  const backup = cluster.status?.backup;
  if (!backup?.time) return;
  metrics.backupTimestamp.set(labels, Date.parse(backup.time) / 1000);
  metrics.backupElapsed.set(labels, seconds(backup.elapsed));
  metrics.backupDumpBytes.set(labels, backup.dumpSize ?? 0);
  metrics.backupBinlogBytes.set(labels, backup.binlogSize ?? 0);
  metrics.backupWorkDirectoryBytes.set(labels, backup.workDirUsage ?? 0);
  metrics.backupWarnings.set(labels, backup.warnings?.length ?? 0);
}

/** A status is written by another program: nonsense in it is not worth a failure. */
function seconds(duration = "0s"): number {
  try {
    return parseDuration(duration) / 1000;
  } catch {
    return Number.NaN;
  }
}
