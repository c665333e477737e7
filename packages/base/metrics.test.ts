import { expect, it } from "vitest";
import { Metrics } from "./metrics.ts";

it("prints Prometheus' text format and shares a metric that is asked for twice", async () => {
  const metrics = new Metrics();
  metrics.counter("workqueue_adds_total", "Keys added", ["name"]).inc({ name: "a" });
  metrics.counter("workqueue_adds_total", "Keys added", ["name"]).inc({ name: "a" });
  expect(await metrics.text()).toContain('workqueue_adds_total{name="a"} 2');
  expect(await new Metrics().text()).not.toContain("workqueue_adds_total");
});

it("brings values up to date before each scrape, until told to stop", async () => {
  const metrics = new Metrics();
  const age = metrics.gauge("last_sync_age_seconds", "Seconds since the last sync");
  let seconds = 1;
  const stop = metrics.onScrape(() => age.set(seconds));
  expect(await metrics.text()).toContain("last_sync_age_seconds 1");
  seconds = 2;
  expect(await metrics.text()).toContain("last_sync_age_seconds 2");
  stop();
  seconds = 3;
  expect(await metrics.text()).toContain("last_sync_age_seconds 2");
});

it("tells of the process itself on request", async () => {
  const metrics = new Metrics();
  metrics.addProcessMetrics();
  const text = await metrics.text();
  expect(text).toContain("process_resident_memory_bytes");
  expect(text).toContain("nodejs_eventloop_lag_p99_seconds");
});
