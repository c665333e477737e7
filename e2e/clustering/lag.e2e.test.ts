/** A replica that applies too slowly, and what may be done to the primary meanwhile. */
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
  operator = await startOperatorCluster({ name: "lag", flags: ["--check-interval=5s"] });
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
  const ledger = await writer.stop(await primaryPod(operator, name));
  expect(ledger.lost).toEqual([]);
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
