import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startControlPlane, type ControlPlane } from "@moco-ts/local-kubernetes";
import type { Client } from "../rest/client.ts";
import { connect } from "../rest/connect.ts";
import type { ConnectOptions } from "../rest/connection.ts";
import { testClient, testConfig, testNamespace } from "../testing/cluster.ts";
import { follow, inParallel, numbered, persistentWriter } from "../testing/following.ts";
import { expectConverged } from "../testing/history.ts";
import { startTcpProxy, type TcpProxy } from "../testing/tcp-proxy.ts";

let controlPlane: ControlPlane;
beforeAll(async () => {
  controlPlane = await startControlPlane({ name: "wire-faults" });
});
afterAll(() => controlPlane.stop());

/** A client of the same server over a wire that the test can cut. */
async function wiredClient(options: ConnectOptions = {}): Promise<{ client: Client; wire: TcpProxy }> {
  const config = await testConfig(controlPlane);
  const wire = await startTcpProxy(config.server);
  const client = connect({ ...config, server: wire.url }, { qps: Infinity, timeout: 5_000, ...options });
  onTestFinished(async () => {
    await client.close();
    await wire.close();
  });
  return { client, wire };
}

test("what happened during a gap that the server has forgotten is told after a new list", async () => {
  const direct = await testClient({}, controlPlane);
  const namespace = await testNamespace(direct);
  const writer = persistentWriter(direct, namespace);
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
  const writer = persistentWriter(direct, namespace);
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
  const writer = persistentWriter(direct, namespace);
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
  const writer = persistentWriter(direct, namespace);
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

test("a list that takes longer than a request may is still read to its end", async () => {
  const direct = await testClient({}, controlPlane);
  const namespace = await testNamespace(direct);
  const writer = persistentWriter(direct, namespace);
  await inParallel(numbered(100), 8, (name) => writer.put(name, "x".repeat(5_000)));
  const { client, wire } = await wiredClient({ timeout: 1_000 });
  wire.slow(250_000);
  const startedAt = performance.now();
  const { informer, history, lines } = await follow(client, namespace);
  expect(performance.now() - startedAt).toBeGreaterThan(1_500);
  await writer.put("late", "new");
  await expectConverged(direct, informer, history, { namespace });
  expect(lines).toEqual([]);
});

test("nothing is left of an informer that has ended", async () => {
  const direct = await testClient({}, controlPlane);
  const namespace = await testNamespace(direct);
  const writer = persistentWriter(direct, namespace);
  await writer.put("one", "0");
  const { client, wire } = await wiredClient();
  const before = process.getActiveResourcesInfo().length;
  const { informer, history, end } = await follow(client, namespace, { backoff: { initial: 5, maximum: 20 } });
  for (let round = 1; round < 20; round++) {
    wire.cut();
    await writer.put("one", `${round}`);
    wire.heal();
    await expectConverged(direct, informer, history, { namespace });
  }
  await end();
  await client.close();
  await expect.poll(() => process.getActiveResourcesInfo().length).toBeLessThanOrEqual(before);
});
