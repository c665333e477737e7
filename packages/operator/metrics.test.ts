import { Metrics } from "@moco-ts/base";
import { expect, it } from "vitest";
import { createClusterMetrics } from "./metrics.ts";

/** Every family by which dashboards and alerts find it, with its type. */
const families = {
  moco_cluster_checks_total: "counter",
  moco_cluster_errors_total: "counter",
  moco_cluster_available: "gauge",
  moco_cluster_healthy: "gauge",
  moco_cluster_switchover_total: "counter",
  moco_cluster_failover_total: "counter",
  moco_cluster_replicas: "gauge",
  moco_cluster_ready_replicas: "gauge",
  moco_cluster_errant_replicas: "gauge",
  moco_cluster_processing_time_seconds: "histogram",
  moco_cluster_volume_resized_total: "counter",
  moco_cluster_volume_resized_errors_total: "counter",
  moco_cluster_statefulset_recreate_total: "counter",
  moco_cluster_statefulset_recreate_errors_total: "counter",
  moco_cluster_clustering_stopped: "gauge",
  moco_cluster_reconciliation_stopped: "gauge",
  moco_cluster_current_replicas: "gauge",
  moco_cluster_updated_replicas: "gauge",
  moco_cluster_last_partition_updated: "gauge",
  moco_cluster_partition_update_retries_total: "counter",
  moco_cluster_rollout_stopped: "gauge",
  moco_backup_timestamp: "gauge",
  moco_backup_elapsed_seconds: "gauge",
  moco_backup_dump_bytes: "gauge",
  moco_backup_binlog_bytes: "gauge",
  moco_backup_workdir_usage_bytes: "gauge",
  moco_backup_warnings: "gauge",
};

it("has every family of the contract, one of our own, and no other", async () => {
  const metrics = new Metrics();
  createClusterMetrics(metrics);
  const types = [...(await metrics.text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]);
  expect(Object.fromEntries(types)).toEqual(families);
});

it("measures checks in the buckets of the contract", async () => {
  const metrics = new Metrics();
  createClusterMetrics(metrics).processingTime.observe({ name: "test", namespace: "prod" }, 0.3);
  const bounds = [...(await metrics.text()).matchAll(/le="([^"]+)"/g)].map(([, bound]) => bound);
  expect(bounds).toEqual(["0.1", "0.25", "0.5", "0.75", "1", "2.5", "5", "7.5", "10", "20", "30", "+Inf"]);
});

it("forgets a cluster that is gone, and no other of the same name", async () => {
  const metrics = new Metrics();
  const families = createClusterMetrics(metrics);
  for (const namespace of ["one", "other"]) {
    families.failovers.inc({ name: "test", namespace });
    families.available.set({ name: "test", namespace }, Number.NaN);
    families.processingTime.observe({ name: "test", namespace }, 1);
    families.backupWarnings.set({ name: "test", namespace }, 2);
    families.partitionUpdateRetries.inc({ namespace });
  }
  families.forget("one", "test");
  families.forget("one", "never-seen");
  const text = await metrics.text();
  expect(text.match(/namespace="one"/g)).toHaveLength(1);
  expect(text).toContain('moco_cluster_partition_update_retries_total{namespace="one"} 1');
  // Go reads not-a-number in any spelling.
  expect(text).toMatch(/^moco_cluster_available\{name="test",namespace="other"\} nan$/im);
  expect(text).toContain('moco_backup_warnings{name="test",namespace="other"} 2');
});
