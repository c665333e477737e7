import { Summary } from "@prometheus-io/client";
import type { Metrics } from "@moco-ts/base";

/** What the agent counts, with its instance's labels. */
export interface AgentMetrics {
  /** Seconds that the instance lags behind; undefined if there is nothing to compare. */
  setReplicationDelay(seconds: number | undefined): void;
  cloneStarted(): void;
  cloneEnded(seconds: number, failed: boolean): void;
  logRotated(seconds: number): void;
  logRotationFailed(): void;
}

const labelNames = ["name", "index"] as const;

export function createAgentMetrics(metrics: Metrics, clusterName: string, index: number): AgentMetrics {
  const labels = { name: clusterName, index: String(index) };
  const named = (name: string): string => `moco_instance_${name}`;
  const summary = (name: string, help: string) =>
    new Summary({
      name: named(name),
      help,
      labelNames,
      percentiles: [0.5, 0.9, 0.99],
      registers: [metrics.registry],
    });
  const delay = metrics.gauge(named("replication_delay_seconds"), "Seconds behind the source", labelNames);
  const clones = metrics.counter(named("clone_count"), "Clones that were started", labelNames);
  const cloneFailures = metrics.counter(named("clone_failure_count"), "Clones that failed", labelNames);
  const cloneDuration = summary("clone_duration_seconds", "How long clones took");
  const cloning = metrics.gauge(named("clone_in_progress"), "1 while a clone is under way", labelNames);
  const rotations = metrics.counter(named("log_rotation_count"), "Rotations of the slow query log", labelNames);
  const rotationFailures = metrics.counter(named("log_rotation_failure_count"), "Rotations that failed", labelNames);
  const rotationDuration = summary("log_rotation_duration_seconds", "How long rotations took");
  for (const counter of [clones, cloneFailures, rotations, rotationFailures]) counter.inc(labels, 0);
  cloning.set(labels, 0);
  return {
    setReplicationDelay(seconds) {
      if (seconds === undefined) delay.remove(labels);
      else delay.set(labels, seconds);
    },
    cloneStarted() {
      clones.inc(labels);
      cloning.set(labels, 1);
    },
    cloneEnded(seconds, failed) {
      cloning.set(labels, 0);
      cloneDuration.observe(labels, seconds);
      if (failed) cloneFailures.inc(labels);
    },
    logRotated(seconds) {
      rotations.inc(labels);
      rotationDuration.observe(labels, seconds);
    },
    logRotationFailed() {
      rotations.inc(labels);
      rotationFailures.inc(labels);
    },
  };
}
