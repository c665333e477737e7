import { expect, test } from "vitest";
import { Metrics, silentLogger, SimulatedClock } from "@moco-ts/base";
import type { EventContent } from "@moco-ts/kube";
import type { Problem, TargetPlan } from "../decision/plan.ts";
import { AutoresizerMetrics } from "../metrics.ts";
import { testClaim } from "../testing/objects.ts";
import { Reporter } from "./reporter.ts";

const claim = testClaim();
const key = "default/data";
const limitReached: Problem = { name: "LimitReached", message: "at its limit" };

function surroundings() {
  const clock = new SimulatedClock();
  const metrics = new Metrics();
  const told: string[] = [];
  const events = { record: (_object: unknown, content: EventContent) => void told.push(content.message) };
  const reporter = new Reporter({ events, metrics: new AutoresizerMetrics(metrics), logger: silentLogger, clock });
  const decided = (problem?: Problem) => reporter.decided(key, claim, { kind: "keep", reason: "", problem });
  return { clock, metrics, reporter, told, decided };
}

test("a problem that goes on is told again when its Event has expired", async () => {
  const { clock, decided, told } = surroundings();
  for (let round = 0; round < 59; round++) {
    decided(limitReached);
    await clock.advance(60_000);
  }
  expect(told).toEqual(["at its limit"]);
  await clock.advance(60_000);
  decided({ ...limitReached, message: "still at its limit" });
  expect(told).toEqual(["at its limit", "still at its limit"]);
});

test("another problem, or the same with something else, is told at once", () => {
  const { decided, told } = surroundings();
  decided(limitReached);
  decided({ name: "InvalidAnnotation", message: "one", about: "one" });
  decided({ name: "InvalidAnnotation", message: "two", about: "two" });
  decided({ name: "InvalidAnnotation", message: "two", about: "two" });
  expect(told).toEqual(["at its limit", "one", "two"]);
});

test("the metric shows one problem at a time, and none that is over", async () => {
  const { decided, metrics, reporter } = surroundings();
  const problems = async () =>
    (await metrics.text()).split("\n").filter((line) => line.startsWith("pvcautoresizer_problem{"));
  decided(limitReached);
  decided({ name: "ResizeStuck", message: "stuck" });
  expect(await problems()).toEqual([
    'pvcautoresizer_problem{persistentvolumeclaim="data",namespace="default",reason="ResizeStuck"} 1',
  ]);
  decided();
  expect(await problems()).toEqual([]);
  decided(limitReached);
  reporter.forget(key);
  expect(await metrics.text()).not.toContain('"data"');
});

test("a refusal stays a problem over the next attempt, until one succeeds", async () => {
  const { metrics, reporter, told } = surroundings();
  const plan: TargetPlan = { kind: "resize", request: 11n * 1024n ** 3n, reason: "full" };
  for (let round = 0; round < 3; round++) {
    reporter.decided(key, claim, plan);
    reporter.refused(key, claim, plan, new Error("exceeded quota"));
  }
  reporter.decided(key, claim, plan);
  expect(await metrics.text()).toContain('reason="ResizeFailed"');
  expect(told).toEqual(["the volume could not be resized to 11Gi: exceeded quota"]);
  reporter.resized(key, claim, plan);
  expect(await metrics.text()).not.toContain('reason="ResizeFailed"');
  expect(told.at(-1)).toBe("PVC volume is resized to 11Gi");
});
