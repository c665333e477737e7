/** The controller that acts is killed at any moment of a change of primaries: its successor goes on from what it finds. */
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  faults,
  heal,
  killController,
  leaderPod,
  manifest,
  patience,
  primaryPod,
  startOperatorCluster,
  waitForCondition,
  Writer,
  type OperatorCluster,
} from "../testing/index.ts";
import { waitForVoters } from "./looks.ts";

const name = "three";
let operator: OperatorCluster;

beforeAll(async () => {
  operator = await startOperatorCluster({ name: "controllers" });
  const annotations = { "moco.cybozu.com/auto-reclone-errant": "true" };
  await operator.apply(manifest({ name, replicas: 3, annotations }));
  await waitForCondition(operator, name, "Healthy");
});
afterAll(() => operator?.down());

test.each(faults)("while it deals with: $name", { timeout: 600_000 }, async (fault) => {
  const controller = await leaderPod(operator);
  const writer = await Writer.start(operator, name);
  const before = await primaryPod(operator, name);
  const since = Date.now();
  await fault.inject(operator, name, before);
  // Another moment each time: from the first look to when most is done.
  const moment = Math.floor(Math.random() * 2_500);
  await delay(moment);
  await killController(operator, controller);
  await writer.writesAgain(since + moment + 1_000, 180_000);
  // Until then the status says how everything was before.
  await expect.poll(() => leaderPod(operator), { ...patience, timeout: 240_000 }).not.toBe(controller);
  await heal(operator, fault, before);
  const isReady = ["wait", "--for=condition=Ready", "--timeout=180s"];
  for (const ordinal of [0, 1, 2]) await operator.kubectl(...isReady, "pod", `moco-${name}-${ordinal}`);
  await waitForVoters(operator, name, 3);
  const ledger = await writer.stop();
  expect(ledger.lost, `killed after ${moment} ms`).toEqual([]);
  expect(ledger.acknowledged).toBeGreaterThan(20);
});
