import { cp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sleep, systemClock } from "@moco-ts/base";
import { startControlPlane, type ControlPlane } from "@moco-ts/local-kubernetes";
import { testClient, testNamespace } from "../testing/cluster.ts";
import { follow, inParallel, numbered, persistentWriter } from "../testing/following.ts";
import { expectConverged } from "../testing/history.ts";

let controlPlane: ControlPlane;
beforeAll(async () => {
  controlPlane = await startControlPlane({ name: "server-faults" });
});
afterAll(() => controlPlane.stop());

test(
  "2,000 objects change while the API server and etcd are killed, frozen and restarted",
  { timeout: 180_000 },
  async () => {
    const client = await testClient({ timeout: 5_000 }, controlPlane);
    const namespace = await testNamespace(client);
    const writer = persistentWriter(client, namespace);
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

test("a server that was restored from a backup is believed", async () => {
  const client = await testClient({ timeout: 5_000 }, controlPlane);
  const namespace = await testNamespace(client);
  const writer = persistentWriter(client, namespace);
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
