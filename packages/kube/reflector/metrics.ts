import type { Metrics } from "@moco-ts/base";
import type { Selection } from "../rest/client.ts";
import type { Resource } from "../types/resource.ts";

export interface ReflectorMetrics {
  listed(): void;
  watched(): void;
  failed(): void;
  /** Reports an age at each scrape until the returned function is called. */
  reportAge(age: () => number): () => void;
}

const labelNames = ["resource", "namespace", "selector"] as const;

export function createReflectorMetrics(
  metrics: Metrics | undefined,
  resource: Resource,
  selection: Selection,
): ReflectorMetrics {
  if (!metrics) {
    return {
      listed: () => undefined,
      watched: () => undefined,
      failed: () => undefined,
      reportAge: () => () => undefined,
    };
  }
  const { namespace = "", labelSelector, fieldSelector } = selection;
  const selector = [labelSelector, fieldSelector].filter((each) => each).join(";");
  const labels = { resource: resourceName(resource), namespace, selector };
  const lists = metrics.counter("reflector_lists_total", "Full lists, the first one included.", labelNames);
  const watches = metrics.counter("reflector_watches_total", "Watches that were begun.", labelNames);
  const failures = metrics.counter("reflector_failures_total", "Lists and watches that failed.", labelNames);
  const age = metrics.gauge(
    "reflector_last_sync_age_seconds",
    "Seconds since the server last showed the cache to be up to date, by a list, an event or a bookmark.",
    labelNames,
  );
  return {
    listed: () => lists.inc(labels),
    watched: () => watches.inc(labels),
    failed: () => failures.inc(labels),
    reportAge: (milliseconds) => {
      const stop = metrics.onScrape(() => age.set(labels, milliseconds() / 1000));
      return () => {
        stop();
        age.remove(labels);
      };
    },
  };
}

/** `statefulsets.apps`, as kubectl names it. */
export function resourceName(resource: Resource): string {
  return resource.group === "" ? resource.plural : `${resource.plural}.${resource.group}`;
}
