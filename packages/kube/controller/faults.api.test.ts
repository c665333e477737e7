import { existsSync, readdirSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Metrics, silentLogger } from "@moco-ts/base";
import { startControlPlane, type ProcessHandle } from "@moco-ts/local-kubernetes";
import { expect, onTestFinished, test, vi } from "vitest";
import { createInformer } from "../cache/create-informer.ts";
import { createManager } from "../manager/manager.ts";
import type { Client } from "../rest/client.ts";
import { isNotFound } from "../rest/errors.ts";
import { testClient, testNamespace } from "../testing/cluster.ts";
import { ConfigMaps, type ConfigMap } from "../types/generated/index.ts";
import { createController } from "./controller.ts";
import { done } from "./outcome.ts";
import { changesOf } from "./source.ts";

const count = 2000;
const parallel = 16;

/** Copies `data.wanted` of every ConfigMap to `data.observed`: the least that a controller can do. */
function createCopier(client: Client, namespace: string, metrics: Metrics) {
  const informer = createInformer(client, ConfigMaps, { namespaces: [namespace], labelSelector: "copy", metrics });
  const controller = createController({
    name: "copier",
    sources: [changesOf(informer)],
    async reconcile(key, { signal }) {
      const object = informer.cache.get(key);
      const { wanted, observed } = object?.data ?? {};
      if (!object?.metadata || wanted === observed) return done;
      // What was seen may be old: the resource version makes sure that nothing newer is overwritten.
      const { namespace, name = "", resourceVersion } = object.metadata;
      const body = { metadata: { resourceVersion }, data: { observed: wanted } };
      try {
        await client.patch(ConfigMaps, { namespace, name }, { type: "merge", body }, { signal });
      } catch (error) {
        if (!isNotFound(error)) throw error; // Deleted: nothing to do any more.
      }
      return done;
    },
    concurrency: parallel,
    backoff: { initial: 10, maximum: 2000, jitter: 0.2 },
    metrics,
  });
  return createManager({
    informers: [informer],
    components: [controller],
    healthAddress: "0",
    metricsAddress: "0",
    metrics,
  });
}

/** Calls `operation` with 0, 1, 2 ... on several lanes until it returns false. */
async function onManyLanes(operation: (index: number) => Promise<boolean>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (await operation(next++));
  };
  await Promise.all(Array.from({ length: parallel }, lane));
}

function heapInUse(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

/** A killed process keeps its port until the last of its threads is gone, which its first thread does not wait for. */
async function kill(server: ProcessHandle): Promise<void> {
  const tasks = `/proc/${server.pid}/task`;
  await server.stop("SIGKILL");
  const threads = (): number => (existsSync(tasks) ? readdirSync(tasks).length : 0);
  await vi.waitUntil(() => threads() <= 1, { timeout: 60_000, interval: 20 });
}

/** Timers, sockets and whatever else Node waits for. */
const activeResources = (): number => process.getActiveResourcesInfo().length;

test("2,000 objects are changed while API server and etcd are killed: every final state is reconciled, nothing leaks", async () => {
  const controlPlane = await startControlPlane({ name: "controller-faults" });
  onTestFinished(() => controlPlane.stop());
  const user = await testClient({ logger: silentLogger }, controlPlane);
  const client = await testClient({}, controlPlane);
  const namespace = await testNamespace(user);
  const metrics = new Metrics();
  const named = (index: number) => ({ namespace, name: `object-${index % count}` });
  const object = (index: number): ConfigMap => ({
    metadata: { ...named(index), labels: { copy: "" } },
    data: { wanted: "0" },
  });
  const pending = async (): Promise<string[]> => {
    const { items } = await user.list(ConfigMaps, { namespace, labelSelector: "copy", timeout: 10_000 });
    expect(items.length).toBeGreaterThan(count * 0.9);
    return items.filter(({ data }) => data?.["wanted"] !== data?.["observed"]).map(({ metadata }) => metadata!.name!);
  };

  await onManyLanes(async (index) => {
    if (index >= count) return false;
    await user.create(ConfigMaps, object(index));
    return true;
  });
  const resourcesBefore = activeResources();
  const stop = new AbortController();
  const running = createCopier(client, namespace, metrics).run(stop.signal);
  await expect.poll(pending, { timeout: 60_000, interval: 500 }).toEqual([]);
  const heapBefore = heapInUse();
  const resourcesRunning = activeResources();

  // Users change, delete and create without a pause. What fails while the server is away is not repeated.
  let changing = true;
  let changes = 0;
  const users = onManyLanes(async (index) => {
    const wanted = { type: "merge", body: { data: { wanted: `${index}` } } } as const;
    try {
      if (index % 50 === 49) await user.delete(ConfigMaps, named(index * 7919), { timeout: 2000 });
      else if (index % 50 === 0) await user.create(ConfigMaps, object((index - 1) * 7919), { timeout: 2000 });
      else await user.patch(ConfigMaps, named(index * 7919), wanted, { timeout: 2000 });
      changes++;
    } catch {
      // The server is away, or the object is: both are meant to happen here.
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return changing;
  });
  const forAWhile = (): Promise<void> => {
    const target = changes + 600;
    return expect.poll(() => changes, { timeout: 60_000 }).toBeGreaterThan(target);
  };
  await forAWhile();
  await kill(controlPlane.apiServer);
  await controlPlane.apiServer.start();
  await forAWhile();
  await kill(controlPlane.etcd);
  await controlPlane.etcd.start();
  await forAWhile();
  await Promise.all([kill(controlPlane.etcd), kill(controlPlane.apiServer)]);
  await controlPlane.etcd.start();
  await controlPlane.apiServer.start();
  await forAWhile();
  changing = false;
  await users;

  await expect.poll(pending, { timeout: 60_000, interval: 500 }).toEqual([]);

  // Nothing waits, nothing runs, and nothing was left behind by all those failures.
  const value = async (name: string): Promise<number> => {
    const lines = (await metrics.text()).split("\n").filter((line) => line.startsWith(name));
    return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  };
  await expect.poll(() => value("workqueue_depth{")).toBe(0);
  await expect.poll(() => value("controller_runtime_active_workers{")).toBe(0);
  expect(await value("controller_runtime_reconcile_errors_total{")).toBeGreaterThan(0);
  await expect.poll(activeResources, { timeout: 60_000 }).toBeLessThanOrEqual(resourcesRunning + 4);
  await expect.poll(heapInUse, { timeout: 60_000 }).toBeLessThan(heapBefore + 15);
  stop.abort();
  await running;
  await expect.poll(activeResources, { timeout: 60_000 }).toBeLessThanOrEqual(resourcesBefore + 2);
}, 300_000);
