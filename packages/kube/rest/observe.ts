import type { Clock, Metrics } from "@moco-ts/base";

/** Told at the end of a request: the status code, or `<error>` if there was no answer. */
export type Finished = (code: number | "<error>") => void;

/** Counts and times requests under the names that dashboards for Go's client know. */
export function createObserver(metrics: Metrics | undefined, host: string, clock: Clock): (method: string) => Finished {
  if (!metrics) return () => () => undefined;
  const requests = metrics.counter(
    "rest_client_requests_total",
    "Number of HTTP requests, partitioned by status code, method, and host.",
    ["code", "host", "method"],
  );
  const durations = metrics.histogram(
    "rest_client_request_duration_seconds",
    "Request latency in seconds. Broken down by verb, and host.",
    ["verb", "host"],
  );
  return (method) => {
    const startedAt = clock.monotonic();
    return (code) => {
      requests.inc({ code: String(code), host, method });
      durations.observe({ verb: method, host }, (clock.monotonic() - startedAt) / 1000);
    };
  };
}
