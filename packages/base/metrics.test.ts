import { expect, it } from "vitest";
import { Metrics } from "./metrics.ts";

it("prints Prometheus' text format and shares a metric that is asked for twice", async () => {
  const metrics = new Metrics();
  metrics.counter("workqueue_adds_total", "Keys added", ["name"]).inc({ name: "a" });
  metrics.counter("workqueue_adds_total", "Keys added", ["name"]).inc({ name: "a" });
  expect(await metrics.text()).toContain('workqueue_adds_total{name="a"} 2');
  expect(await new Metrics().text()).not.toContain("workqueue_adds_total");
});
