import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  faults,
  heal,
  leader,
  manifest,
  podEndpoint,
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
  test.each(faults)("$name", async ({ inject }) => {
    const writer = await Writer.start(operator, name);
    const before = await primaryPod(operator, name);
    const since = Date.now();
    await inject(operator, name, before);
    // A primary that is back before another one was opened may keep its place.
    await writer.writesAgain(since + 1_000);
    await heal(operator, before);
    await waitForCondition(operator, name, "Healthy");
    const ledger = await writer.stop(await primaryPod(operator, name));
    expect(ledger.lost).toEqual([]);
    expect(ledger.acknowledged).toBeGreaterThan(20);
  });
});

test("a primary that only the operator can't reach stays the primary", async () => {
  const writer = await Writer.start(operator, name);
  const before = await primaryPod(operator, name);
  await operator.local.faults.cut(podEndpoint(before), await leader(operator));
  await waitForCondition(operator, name, "Healthy", "False");
  await writer.writesAgain(Date.now() + 8_000);
  expect(await primaryPod(operator, name)).toBe(before);
  await operator.local.faults.heal();
  await waitForCondition(operator, name, "Healthy");
  expect((await writer.stop(before)).lost).toEqual([]);
});

test("a primary that only its replicas can't reach is replaced, and comes back", async () => {
  const writer = await Writer.start(operator, name);
  const before = await primaryPod(operator, name);
  const since = Date.now();
  for (const other of [0, 1, 2].map((ordinal) => `moco-${name}-${ordinal}`)) {
    if (other !== before) await operator.local.faults.cut(podEndpoint(before), podEndpoint(other));
  }
  await expect.poll(() => primaryPod(operator, name), { timeout: 60_000 }).not.toBe(before);
  await writer.writesAgain(since + 1_000);
  await operator.local.faults.heal();
  await waitForCondition(operator, name, "Healthy");
  expect((await writer.stop(await primaryPod(operator, name))).lost).toEqual([]);
});
