import { metricLabels, type ClusterMetrics } from "../metrics.ts";
import type { Observed } from "./observe.ts";
import { rolloutManager } from "./partition.ts";
import type { Plan } from "./plan.ts";

/** What dashboards and alerts see of a rolling update. */
export function tellProgress(metrics: ClusterMetrics, { cluster, statefulSet }: Observed, plan: Plan): void {
  const labels = metricLabels(cluster);
  const { metadata, status } = statefulSet;
  metrics.currentReplicas.set(labels, status?.currentReplicas ?? 0);
  metrics.updatedReplicas.set(labels, status?.updatedReplicas ?? 0);
  metrics.rolloutStopped.set(labels, Number(plan.kind === "stopped"));
  // Kept by the API server, so that a restart of the controller does not hide an update that is stuck.
  const entry = metadata?.managedFields?.find(({ manager }) => manager === rolloutManager);
  if (entry?.time !== undefined) metrics.lastPartitionUpdated.set(labels, Date.parse(entry.time) / 1000);
}
