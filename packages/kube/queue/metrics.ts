import type { Metrics } from "@moco-ts/base";
import { priorities, type Priority } from "./lanes.ts";

/** The numbers that dashboards know a priority by: controller-runtime's low is -100 and its default 0. */
const priorityLabels: Readonly<Record<Priority, string>> = { high: "100", normal: "0", low: "-100" };

/** From 10 ns to 1,000 s, as the Go work queue has them. */
const durationBuckets = Array.from({ length: 12 }, (_, exponent) => Number(`1e${exponent - 8}`));

export interface QueueMetrics {
  depth(priority: Priority, change: 1 | -1): void;
  added(): void;
  retried(): void;
  waited(seconds: number): void;
  worked(seconds: number): void;
  stop(): void;
}

/**
 * The series of one queue, under the names and labels that controller-runtime gives to the Go work queue. `running`
 * gives the seconds for which each running key has been worked on, and is asked at each scrape.
 */
export function createQueueMetrics(metrics: Metrics, name: string, running: () => Iterable<number>): QueueMetrics {
  const labelNames = ["name", "controller"] as const;
  const labels = { name, controller: name };
  const depth = metrics.gauge("workqueue_depth", "Current depth of workqueue by workqueue and priority", [
    ...labelNames,
    "priority",
  ]);
  const adds = metrics.counter("workqueue_adds_total", "Total number of adds handled by workqueue", labelNames);
  const retries = metrics.counter(
    "workqueue_retries_total",
    "Total number of retries handled by workqueue",
    labelNames,
  );
  const waited = metrics.histogram(
    "workqueue_queue_duration_seconds",
    "How long in seconds an item stays in workqueue before being requested",
    labelNames,
    durationBuckets,
  );
  const worked = metrics.histogram(
    "workqueue_work_duration_seconds",
    "How long in seconds processing an item from workqueue takes.",
    labelNames,
    durationBuckets,
  );
  const unfinished = metrics.gauge(
    "workqueue_unfinished_work_seconds",
    "Seconds of work in progress that work_duration has not observed yet. Large values mean stuck workers.",
    labelNames,
  );
  const longest = metrics.gauge(
    "workqueue_longest_running_processor_seconds",
    "How many seconds has the longest running processor for workqueue been running.",
    labelNames,
  );
  for (const priority of priorities) depth.set({ ...labels, priority: priorityLabels[priority] }, 0);
  adds.inc(labels, 0);
  retries.inc(labels, 0);
  const stop = metrics.onScrape(() => {
    const seconds = [...running()];
    unfinished.set(
      labels,
      seconds.reduce((sum, each) => sum + each, 0),
    );
    longest.set(labels, Math.max(0, ...seconds));
  });
  return {
    depth: (priority, change) => depth.inc({ ...labels, priority: priorityLabels[priority] }, change),
    added: () => adds.inc(labels),
    retried: () => retries.inc(labels),
    waited: (seconds) => waited.observe(labels, seconds),
    worked: (seconds) => worked.observe(labels, seconds),
    stop,
  };
}
