import { cp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createLogger, Metrics, retry, sleep, systemClock, type Logger } from "@moco-ts/base";
import { startControlPlane, type ControlPlane } from "@moco-ts/local-kubernetes";
import { isNotFound } from "../rest/errors.ts";
import { connect } from "../rest/connect.ts";
import type { Client } from "../rest/client.ts";
import { testClient, testConfig, testNamespace } from "../testing/cluster.ts";
import { expectConverged, History } from "../testing/history.ts";
import { startTcpProxy, type TcpProxy } from "../testing/tcp-proxy.ts";
import { ConfigMaps, type ConfigMap } from "../types/generated/index.ts";
import { createInformer, type InformerOptions } from "./create-informer.ts";

let controlPlane: ControlPlane;
beforeAll(async () => {
  controlPlane = await startControlPlane({ name: "faults" });
});
afterAll(() => controlPlane.stop());

/** A client of the same server over a wire that the test can cut. */
async function wiredClient(): Promise<{ client: Client; wire: TcpProxy }> {
  const config = await testConfig(controlPlane);
  const wire = await startTcpProxy(config.server);
  const client = connect({ ...config, server: wire.url }, { qps: Infinity, timeout: 5_000 });
  onTestFinished(async () => {
    await client.close();
    await wire.close();
  });
  return { client, wire };
}

async function follow(client: Client, namespace: string, options: InformerOptions<ConfigMap> = {}) {
  const metrics = new Metrics();
  const lines: { msg: string; error?: string }[] = [];
  const logger: Logger = createLogger({ destination: { write: (line: string) => void lines.push(JSON.parse(line)) } });
  const informer = createInformer(client, ConfigMaps, { namespaces: [namespace], metrics, logger, ...options });
  const history = new History<ConfigMap>();
  history.follow(informer);
  const stop = new AbortController();
  const running = informer.run(stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  await informer.waitForSync(AbortSignal.timeout(30_000));
  const count = async (name: string): Promise<number> => {
    const metric = await metrics.registry.getSingleMetric(name)!.get();
    return metric.values.reduce((sum, { value }) => sum + value, 0);
  };
  return { informer, history, count, lines };
}

/** Writes that outlast whatever happens to the server. */
function persistent(client: Client, namespace: string) {
  const keep = <R>(operation: () => Promise<R>): Promise<R> =>
    retry({ clock: systemClock, initial: 50, maximum: 500, attempts: 200 }, operation);
  return {
    put: (name: string, value: string) =>
      keep(() =>
        client.apply(
          ConfigMaps,
          { metadata: { namespace, name }, data: { value } },
          { fieldManager: "test", force: true },
        ),
      ),
    remove: (name: string) =>
      keep(() =>
        client.delete(ConfigMaps, { namespace, name }).catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
          return undefined;
        }),
      ),
  };
}

const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `item-${index}`);

async function inParallel<I>(items: readonly I[], width: number, work: (item: I) => Promise<unknown>): Promise<void> {
  const waiting = items.values();
  const worker = async (): Promise<void> => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

test(
  "2,000 objects change while the API server and etcd are killed, frozen and restarted",
  { timeout: 180_000 },
  async () => {
    const client = await testClient({ timeout: 5_000 }, controlPlane);
    const namespace = await testNamespace(client);
    const writer = persistent(client, namespace);
    const names = numbered(2_000);
    await inParallel(names, 16, (name) => writer.put(name, "0"));
    const { informer, history, count } = await follow(client, namespace);
    expect(informer.cache.size).toBeGreaterThanOrEqual(2_000);

    const stop = new AbortController();
    let writes = 0;
    const changing = inParallel(numbered(8), 8, async (worker) => {
      for (let round = 0; !stop.signal.aborted; round++) {
        const name = names[Math.floor(Math.random() * names.length)]!;
        if (Math.random() < 0.3) await writer.remove(name);
        else await writer.put(name, `${worker} ${round}`);
        writes++;
      }
    });
    const meanwhile = (): Promise<void> => sleep(systemClock, 1_500);
    const { apiServer, etcd } = controlPlane;
    await meanwhile();
    await apiServer.restart("SIGKILL");
    await meanwhile();
    await etcd.restart("SIGKILL");
    await meanwhile();
    apiServer.freeze();
    await meanwhile();
    apiServer.thaw();
    await meanwhile();
    await Promise.all([etcd.stop("SIGKILL"), apiServer.stop("SIGKILL")]);
    await etcd.start();
    await apiServer.start();
    await meanwhile();
    await apiServer.restart("SIGTERM");
    await meanwhile();
    stop.abort();
    await changing;

    await expectConverged(client, informer, history, { namespace });
    expect(writes).toBeGreaterThan(100);
    expect(history.lines.length).toBeGreaterThan(writes / 2);
    expect(await count("reflector_failures_total")).toBeGreaterThan(0);
  },
);

test("what happened during a gap that the server has forgotten is told after a new list", async () => {
  const direct = await testClient({}, controlPlane);
  const namespace = await testNamespace(direct);
  const writer = persistent(direct, namespace);
  for (const name of ["stays", "goes", "changes", "replaced"]) await writer.put(name, "old");
  const { client, wire } = await wiredClient();
  const { informer, history, count } = await follow(client, namespace, { backoff: { initial: 50, maximum: 200 } });
  const told = history.lines.length;
  const lists = await count("reflector_lists_total");

  wire.cut();
  await writer.remove("goes");
  await writer.put("changes", "new");
  await writer.remove("replaced");
  await writer.put("replaced", "new");
  await writer.put("comes", "new");
  await controlPlane.compact();
  wire.heal();

  await expectConverged(direct, informer, history, { namespace });
  const events = history.lines
    .slice(told)
    .map((line) => line.split(" ").slice(0, 2).join(" ").replace(`${namespace}/`, ""));
  expect(events.sort()).toEqual([
    "added comes",
    "added replaced",
    "deleted goes",
    "deleted replaced",
    "updated changes",
  ]);
  expect(await count("reflector_lists_total")).toBe(lists + 1);
});

test("a gap that the server remembers is closed without a new list", async () => {
  const direct = await testClient({}, controlPlane);
  const namespace = await testNamespace(direct);
  const writer = persistent(direct, namespace);
  const { client, wire } = await wiredClient();
  const { informer, history, count } = await follow(client, namespace, { backoff: { initial: 50, maximum: 200 } });
  await writer.put("one", "old");
  await expectConverged(direct, informer, history, { namespace });

  wire.cut();
  await writer.put("one", "new");
  await writer.put("two", "new");
  wire.heal();
  await expectConverged(direct, informer, history, { namespace });
  expect(await count("reflector_lists_total")).toBe(1);
});

test("a connection that dies silently is noticed", async () => {
  const direct = await testClient({}, controlPlane);
  const namespace = await testNamespace(direct);
  const writer = persistent(direct, namespace);
  const { client, wire } = await wiredClient();
  const { informer, history, lines } = await follow(client, namespace, { idleTimeout: 2_000 });
  await writer.put("one", "old");
  await expectConverged(direct, informer, history, { namespace });
  wire.stall();
  await writer.put("one", "new");
  wire.heal();
  await expectConverged(direct, informer, history, { namespace });
  expect(lines.some((line) => line.error?.includes("no sign of life"))).toBe(true);
});

test("connections that are cut anywhere lose nothing", { timeout: 120_000 }, async () => {
  const direct = await testClient({}, controlPlane);
  const namespace = await testNamespace(direct);
  const writer = persistent(direct, namespace);
  const names = numbered(200);
  await inParallel(names, 8, (name) => writer.put(name, "0".repeat(2_000)));
  const { client, wire } = await wiredClient();
  const { informer, history, count } = await follow(client, namespace, { backoff: { initial: 5, maximum: 20 } });
  for (let round = 1; round <= 40; round++) {
    wire.cutAfter(Math.floor(Math.random() * 30_000));
    await inParallel(names.slice(0, 20), 4, (name) => writer.put(name, `${round}`.repeat(1_000)));
  }
  wire.cutAfter(Infinity);
  await expectConverged(direct, informer, history, { namespace });
  expect(await count("reflector_failures_total")).toBeGreaterThan(10);
});

test("a server that was restored from a backup is believed", async () => {
  const client = await testClient({ timeout: 5_000 }, controlPlane);
  const namespace = await testNamespace(client);
  const writer = persistent(client, namespace);
  const { apiServer, etcd } = controlPlane;
  const data = join(dirname(controlPlane.kubeconfigPath), "etcd");
  await writer.put("changes", "before the backup");
  const { informer, history, lines } = await follow(client, namespace);

  await apiServer.stop();
  await etcd.stop();
  await cp(data, `${data}.backup`, { recursive: true });
  await etcd.start();
  await apiServer.start();
  await writer.put("changes", "after the backup");
  for (const name of numbered(50)) await writer.put(name, "after the backup");
  await expectConverged(client, informer, history, { namespace });

  await apiServer.stop();
  await etcd.stop();
  await rm(data, { recursive: true });
  await cp(`${data}.backup`, data, { recursive: true });
  await etcd.start();
  await apiServer.start();
  await expectConverged(client, informer, history, { namespace });
  expect(informer.cache.get(`${namespace}/changes`)?.data).toEqual({ value: "before the backup" });
  expect(lines.some((line) => line.msg.includes("gone back in time"))).toBe(true);
  await writer.put("changes", "after the restoration");
  await expectConverged(client, informer, history, { namespace });
});
