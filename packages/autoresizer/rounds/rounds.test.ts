import { expect, test } from "vitest";
import { Metrics, SimulatedClock, silentLogger } from "@moco-ts/base";
import type { Client, Informer, PersistentVolumeClaim, StorageClass } from "@moco-ts/kube";
import { KubeError } from "@moco-ts/kube";
import { AutoresizerMetrics } from "../metrics.ts";
import { gibibyte, testClaim, testClass, testRules, testUsage } from "../testing/objects.ts";
import type { UsageReport, VolumeUsage } from "../usage/usage.ts";
import { Reporter } from "./reporter.ts";
import { Rounds } from "./rounds.ts";

const full = testUsage({ available: 0 });
const { signal } = new AbortController();

/** Rounds over claims that are all full, against a server that does with patches what the test says. */
function surroundings(claims: PersistentVolumeClaim[], patch: (name: string) => Promise<void> = async () => undefined) {
  const patched: string[] = [];
  const client = {
    patch: async (_resource: unknown, { name }: { name: string }) => {
      await patch(name);
      patched.push(name);
    },
  } as unknown as Client;
  const usage = new Map<string, VolumeUsage>(claims.map(({ metadata }) => [`default/${metadata!.name}`, full]));
  const report: UsageReport = { volumes: usage, failures: [] };
  const metrics = new Metrics();
  const autoresizerMetrics = new AutoresizerMetrics(metrics);
  const clock = new SimulatedClock();
  const events = { record: () => undefined };
  const rounds = new Rounds({
    client,
    claims: { cache: { list: () => claims } } as unknown as Informer<PersistentVolumeClaim>,
    storageClasses: { cache: { get: () => testClass() } } as unknown as Informer<StorageClass>,
    source: { read: async () => report },
    rules: testRules,
    reporter: new Reporter({ events, metrics: autoresizerMetrics, logger: silentLogger, clock }),
    metrics: autoresizerMetrics,
    clock,
    logger: silentLogger,
    dryRun: false,
    metricsResetSize: 0,
  });
  return { rounds, patched, metrics, usage };
}

test("a claim that can't even be read keeps no other from growing", async () => {
  const broken = testClaim({ name: "broken", capacity: "what is this?" });
  const { rounds, patched } = surroundings([testClaim({ name: "a" }), broken, testClaim({ name: "b" })]);
  await rounds.run(signal);
  expect(patched.sort()).toEqual(["a", "b"]);
});

test("a claim that somebody changes in the same moment is no failure", async () => {
  const conflict = new KubeError("changed meanwhile", { status: 409, reason: "Conflict" });
  const { rounds, patched, metrics } = surroundings(
    [testClaim({ name: "busy" }), testClaim({ name: "quiet" })],
    (name) => (name === "busy" ? Promise.reject(conflict) : Promise.resolve()),
  );
  await rounds.run(signal);
  expect(patched).toEqual(["quiet"]);
  expect(await metrics.text()).toContain(
    'pvcautoresizer_failed_resize_total{persistentvolumeclaim="busy",namespace="default"} 0',
  );
});

test("requests that hang hold up the round, and not each other beyond eight", async () => {
  let underWay = 0;
  let busiest = 0;
  const names = Array.from({ length: 40 }, (_, index) => `data-${index}`);
  const { rounds, patched } = surroundings(
    names.map((name) => testClaim({ name })),
    async () => {
      busiest = Math.max(busiest, ++underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay--;
    },
  );
  await rounds.run(signal);
  expect(patched).toHaveLength(40);
  expect(busiest).toBe(8);
});

test("the end of the program ends the round", async () => {
  const ending = new AbortController();
  const { rounds } = surroundings([testClaim()], () => {
    ending.abort(new Error("the end"));
    return Promise.reject(new Error("cut off"));
  });
  await expect(rounds.run(ending.signal)).rejects.toThrow("the end");
});

test("a size of the file system that has just changed is believed in the next round", async () => {
  const { rounds, patched, usage } = surroundings([testClaim()]);
  usage.set("default/data", testUsage({ capacity: 8 * gibibyte }));
  await rounds.run(signal);
  usage.set("default/data", full);
  await rounds.run(signal);
  expect(patched).toEqual([]);
  await rounds.run(signal);
  expect(patched).toEqual(["data"]);
});
