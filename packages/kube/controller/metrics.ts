import type { Metrics } from "@moco-ts/base";
import type { Result } from "./outcome.ts";

/** How dashboards know results. */
const resultLabels: Readonly<Record<Exclude<Result["kind"], "aborted">, string>> = {
  done: "success",
  requeueAfter: "requeue_after",
  requeue: "requeue",
  conflict: "requeue",
  failed: "error",
  timedOut: "error",
  terminal: "error",
};

// prettier-ignore
const timeBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

export interface ControllerMetrics {
  /** Returns how to say that it has ended. */
  started(): (result: Result, seconds: number) => void;
  /** A reconcile goes on although it was told to stop. Returns how to say that it has ended after all. */
  stuck(): () => void;
}

/** The series of one controller, under the names that controller-runtime has. */
export function createControllerMetrics(metrics: Metrics, controller: string, concurrency: number): ControllerMetrics {
  const label = ["controller"] as const;
  const total = metrics.counter(
    "controller_runtime_reconcile_total",
    "Total number of reconciliations per controller",
    [...label, "result"],
  );
  const errors = metrics.counter(
    "controller_runtime_reconcile_errors_total",
    "Total number of reconciliation errors per controller",
    label,
  );
  const terminalErrors = metrics.counter(
    "controller_runtime_terminal_reconcile_errors_total",
    "Total number of terminal reconciliation errors per controller",
    label,
  );
  const timeouts = metrics.counter(
    "controller_runtime_reconcile_timeouts_total",
    "Total number of reconciliation timeouts per controller",
    label,
  );
  const time = metrics.histogram(
    "controller_runtime_reconcile_time_seconds",
    "Length of time per reconciliation per controller",
    label,
    timeBuckets,
  );
  const maximum = metrics.gauge(
    "controller_runtime_max_concurrent_reconciles",
    "Maximum number of concurrent reconciles per controller",
    label,
  );
  const active = metrics.gauge(
    "controller_runtime_active_workers",
    "Number of currently used workers per controller",
    label,
  );
  const stuck = metrics.gauge(
    "controller_runtime_stuck_reconciles",
    "Number of reconciles that go on although their deadline has passed and they were told to stop",
    label,
  );
  maximum.set({ controller }, concurrency);
  active.set({ controller }, 0);
  stuck.set({ controller }, 0);
  for (const counter of [errors, terminalErrors, timeouts]) counter.inc({ controller }, 0);
  for (const result of new Set(Object.values(resultLabels))) total.inc({ controller, result }, 0);
  return {
    started() {
      active.inc({ controller });
      return (result, seconds) => {
        active.dec({ controller });
        if (result.kind === "aborted") return;
        time.observe({ controller }, seconds);
        total.inc({ controller, result: resultLabels[result.kind] });
        if (resultLabels[result.kind] === "error") errors.inc({ controller });
        if (result.kind === "terminal") terminalErrors.inc({ controller });
        if (result.kind === "timedOut") timeouts.inc({ controller });
      };
    },
    stuck() {
      stuck.inc({ controller });
      active.dec({ controller });
      return () => {
        stuck.dec({ controller });
        active.inc({ controller });
      };
    },
  };
}
