/** Rolling updates of several clusters at once, as a new version of the controller may cause them. */
import { expect, test } from "vitest";
import { createWorld, patience, unhurried, versionOf } from "./testing/world.ts";

test("no more clusters than --max-concurrent-rollouts are updated at the same time", unhurried, async () => {
  const { world, controller } = await createWorld({ replicas: 1, flags: ["--max-concurrent-rollouts=1"] });
  const other = await world.another("d", 1);
  await world.kubelet.decide((pod) => (versionOf(pod) === "2" ? "starting" : "ready"));
  await world.editTemplate("2");
  await expect.poll(() => world.versions(), patience).toEqual(["2"]);
  await other.editTemplate("2");
  const waiting = `--max-concurrent-rollouts is used up by ${world.key.namespace}/c`;
  await expect.poll(() => other.told(), patience).toBe(`False RollingOut 0 of 1 pods are updated: ${waiting}`);
  expect(await other.versions()).toEqual(["-"]);
  expect(await controller.metrics()).toMatch(
    new RegExp(`moco_cluster_partition_update_retries_total{namespace="${world.key.namespace}"} [1-9]`),
  );
  await world.kubelet.decide(() => "ready");
  await world.rolledOut("2", 1);
  await other.rolledOut("2", 1);
});

test("--partition-update-interval lies between two steps, of whatever clusters", unhurried, async () => {
  const { world } = await createWorld({ replicas: 1, flags: ["--partition-update-interval=20s"] });
  const other = await world.another("d", 1);
  const began = Date.now();
  await Promise.all([world.editTemplate("2"), other.editTemplate("2")]);
  const all = async () => [await world.told(), await other.told()].join();
  await expect.poll(all, patience).toMatch(/0 of 1 pods are updated: --partition-update-interval is not over/);
  await Promise.all([world.rolledOut("2", 1), other.rolledOut("2", 1)]);
  expect(Date.now() - began).toBeGreaterThan(20_000);
});
