/** Replicas that apply too slowly, and transactions that don't end: what becomes of the primary meanwhile. */
import { annotationKeys } from "@moco-ts/api";
import type { Pod } from "@moco-ts/kube";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  manifest,
  patience,
  primaryPod,
  startOperatorCluster,
  waitForCondition,
  Writer,
  type OperatorCluster,
} from "../testing/index.ts";
import { replicasOf } from "./looks.ts";

const name = "three";
let operator: OperatorCluster;

beforeAll(async () => {
  operator = await startOperatorCluster({ name: "slowness", flags: ["--check-interval=5s"] });
  await operator.apply(manifest({ name, replicas: 3, spec: { maxDelaySecondsForPodDeletion: 5 } }));
  await waitForCondition(operator, name, "Healthy");
});
afterAll(() => operator?.down());

test("a primary whose replicas lag behind can't be deleted and keeps its place until they have caught up", async () => {
  const writer = await Writer.start(operator, name);
  const primary = await primaryPod(operator, name);
  const prevention = async () =>
    (await operator.get<Pod>("pod", primary)).metadata?.annotations?.[annotationKeys.preventDelete];
  expect(await prevention()).toBeUndefined();
  const [ordinal] = await replicasOf(operator, name);
  const catchUp = await holdUp(`moco-${name}-${ordinal}`);
  await expect.poll(prevention, patience).toBe("true");
  await expect(operator.kubectl("delete", "pod", primary)).rejects.toThrow(`${primary} is protected from deletion`);
  await operator.kubectl("annotate", "pod", primary, `${annotationKeys.demote}=true`);
  await writer.writesAgain(Date.now() + 5_000);
  expect(await primaryPod(operator, name)).toBe(primary);

  await catchUp();
  await expect.poll(prevention, patience).toBeUndefined();
  await expect.poll(() => primaryPod(operator, name), patience).not.toBe(primary);
  await operator.kubectl("delete", "pod", primary);
  await waitForCondition(operator, name, "Healthy");
  const ledger = await writer.stop();
  expect(ledger.lost).toEqual([]);
});

test("transactions that don't end can't keep a primary in its place, and leave nothing behind", async () => {
  const writer = await Writer.start(operator, name);
  const primary = await primaryPod(operator, name);
  await operator.query(primary, "CREATE TABLE ledger.huge (id BIGINT AUTO_INCREMENT PRIMARY KEY, text CHAR(200))");
  const fill = "INSERT INTO ledger.huge (text) SELECT REPEAT('x', 200) FROM";
  const many = (times: number) => Array.from({ length: times }, (_, at) => `information_schema.COLLATIONS AS c${at}`);
  const ends = [
    // Rows by the hundred thousand that are not committed, a statement that runs for hours, and a lock on everything.
    `BEGIN; ${fill} ${many(2).join(", ")}; SELECT SLEEP(600)`,
    `${fill} ${many(4).join(", ")}`,
    "LOCK TABLES ledger.rows READ; SELECT SLEEP(600)",
  ].map((statements) => operator.query(primary, statements, "moco-writable").catch(String));
  // The writer has sessions of its own, which wait for the lock.
  const isBusy = "USER = 'moco-writable' AND TIME > 3 AND INFO NOT LIKE 'INSERT INTO ledger.rows%'";
  const busy = `SELECT COUNT(*) FROM performance_schema.processlist WHERE ${isBusy}`;
  await expect.poll(() => operator.query(primary, busy), patience).toBe("3");

  await operator.kubectl("annotate", "pod", primary, `${annotationKeys.demote}=true`);
  await expect.poll(() => primaryPod(operator, name), patience).not.toBe(primary);
  await writer.writesAgain(Date.now());
  for (const end of await Promise.all(ends)) expect(end).toMatch(/ERROR/);
  await waitForCondition(operator, name, "Healthy");
  const successor = await primaryPod(operator, name);
  expect(await operator.query(successor, "SELECT COUNT(*) FROM ledger.huge")).toBe("0");
  expect((await writer.stop()).lost).toEqual([]);
});

/** Lets a replica receive, but not apply, until the returned function is called. */
async function holdUp(pod: string): Promise<() => Promise<void>> {
  const held = operator.query(pod, "FLUSH TABLES WITH READ LOCK; SELECT SLEEP(600)").catch(() => undefined);
  const find = "SELECT ID FROM performance_schema.processlist WHERE INFO = 'SELECT SLEEP(600)'";
  const sleeper = () => operator.query(pod, find);
  await expect.poll(sleeper, patience).not.toBe("");
  return async () => {
    await operator.query(pod, `KILL ${await sleeper()}`);
    await held;
  };
}
