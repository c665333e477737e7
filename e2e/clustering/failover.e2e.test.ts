import { annotationKeys, labelKeys } from "@moco-ts/api";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  conditionOf,
  cutFromOperator,
  faults,
  followPods,
  heal,
  manifest,
  patience,
  primaryPod,
  startOperatorCluster,
  waitForCondition,
  Writer,
  type OperatorCluster,
} from "../testing/index.ts";

const name = "three";
let operator: OperatorCluster;

beforeAll(async () => {
  operator = await startOperatorCluster({ name: "clustering" });
  const annotations = { "moco.cybozu.com/auto-reclone-errant": "true" };
  await operator.apply(manifest({ name, replicas: 3, annotations }));
  await waitForCondition(operator, name, "Healthy");
});
afterAll(() => operator?.down());

describe("writers go on, and no acknowledged row is lost, after", () => {
  test.each(faults)("$name", { timeout: 300_000 }, async (fault) => {
    const writer = await Writer.start(operator, name);
    const before = await primaryPod(operator, name);
    await fault.inject(operator, name, before);
    const isReplaced = async () => !fault.lasts || (await primaryPod(operator, name)) !== before;
    await expect.poll(isReplaced, { timeout: 60_000 }).toBe(true);
    await writer.writesAgain(Date.now() + 1_000);
    await heal(operator, fault, before);
    await waitForCondition(operator, name, "Healthy");
    const ledger = await writer.stop();
    expect(ledger.lost).toEqual([]);
    expect(ledger.acknowledged).toBeGreaterThan(20);
  });
});

test("readers have a replica at every moment of a switchover", async () => {
  const readers = await followReaders();
  const before = await primaryPod(operator, name);
  await operator.kubectl("annotate", "pod", before, `${annotationKeys.demote}=true`);
  await expect.poll(() => primaryPod(operator, name), patience).not.toBe(before);
  await expect.poll(() => readers.now(), patience).toContain(before);
  expect(readers.stop()).toEqual({ least: 1 });
});

/** The Pods that the readers' Service finds, from now on. */
async function followReaders() {
  const stopping = new AbortController();
  const informer = await followPods(operator, name, { [labelKeys.role]: "replica" }, stopping.signal);
  const now = (): string[] => informer.cache.list().map(({ metadata }) => metadata!.name!);
  let least = now().length;
  informer.subscribe({ deleted: () => void (least = Math.min(least, now().length)) });
  return {
    now,
    stop() {
      stopping.abort(new Error("nobody looks any more"));
      return { least };
    },
  };
}

test("a primary that only the operator can't reach stays the primary", async () => {
  const writer = await Writer.start(operator, name);
  const before = await primaryPod(operator, name);
  const healthy = async () => {
    // Each time, since another controller may have taken over.
    await cutFromOperator.inject(operator, name, before);
    return (await conditionOf(operator, name, "Healthy"))?.status;
  };
  await expect.poll(healthy, patience).toBe("False");
  await writer.writesAgain(Date.now() + 8_000);
  expect(await primaryPod(operator, name)).toBe(before);
  await operator.local.faults.heal();
  await waitForCondition(operator, name, "Healthy");
  expect((await writer.stop()).lost).toEqual([]);
});
