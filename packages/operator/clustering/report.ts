import type { MySQLCluster } from "@moco-ts/api";
import { metricLabels, type ClusterMetrics } from "../metrics.ts";
import type { Plan } from "./plan.ts";
import type { Snapshot } from "./snapshot.ts";

/** What metrics say of one check of one cluster. */
export interface Report {
  /** Returns what ends the measurement. */
  begin(): () => void;
  found(snapshot: Snapshot, plan: Plan): void;
  failed(): void;
  /** A person has stopped clustering: nobody knows how the cluster is. */
  stopped(): void;
  readonly count: (what: "switchover" | "failover") => void;
}

export function reportOf(metrics: ClusterMetrics, cluster: MySQLCluster): Report {
  const labels = metricLabels(cluster);
  const set = (available: number, healthy: number, ready: number, errant: number): void => {
    metrics.available.set(labels, available);
    metrics.healthy.set(labels, healthy);
    metrics.readyReplicas.set(labels, ready);
    metrics.errantReplicas.set(labels, errant);
    metrics.replicas.set(labels, cluster.spec.replicas);
  };
  return {
    begin() {
      metrics.checks.inc(labels);
      metrics.clusteringStopped.set(labels, 0);
      const started = performance.now();
      return () => metrics.processingTime.observe(labels, (performance.now() - started) / 1_000);
    },
    found({ instances }, { state, errant }) {
      const isHealthy = state === "Healthy";
      const ready = instances.filter(({ pod }) => pod?.ready).length;
      set(Number(isHealthy || state === "Degraded"), Number(isHealthy), ready, errant.length);
    },
    failed: () => metrics.errors.inc(labels),
    stopped() {
      metrics.clusteringStopped.set(labels, 1);
      set(Number.NaN, Number.NaN, Number.NaN, Number.NaN);
    },
    count: (what) => (what === "switchover" ? metrics.switchovers : metrics.failovers).inc(labels),
  };
}
