import type { Metrics } from "@moco-ts/base";

/** Named and labelled as controller-runtime's, since people have dashboards for those. */
export function webhookMetrics(metrics: Metrics) {
  return {
    requests: metrics.counter(
      "controller_runtime_webhook_requests_total",
      "Total number of admission requests by HTTP status code.",
      ["webhook", "code"],
    ),
    latency: metrics.histogram(
      "controller_runtime_webhook_latency_seconds",
      "Histogram of the latency of processing admission requests.",
      ["webhook"],
    ),
    inFlight: metrics.gauge(
      "controller_runtime_webhook_requests_in_flight",
      "Current number of admission requests being served.",
      ["webhook"],
    ),
  };
}
