/** Rolling updates of clusters that change their size at the same time. */
import { expect, test } from "vitest";
import { instanceOrdinal } from "../pods.ts";
import { createWorld, patience, unhurried, versionOf } from "./testing/world.ts";

test("template and replicas change together: new pods come with the old template first", unhurried, async () => {
  const { world } = await createWorld();
  await world.kubelet.decide((pod) => (instanceOrdinal(pod) > 2 ? "starting" : "ready"));
  await world.editTemplate("2", { replicas: 5 });
  await expect.poll(() => world.told(), patience).toMatch(/0 of 5 pods are updated: moco-c-3 is not Ready/);
  expect(await world.versions()).toEqual(["-", "-", "-", "-", "-"]);
  await world.kubelet.decide(() => "ready");
  await world.rolledOut("2", 5);
  await expect
    .poll(() => world.partitionUpdates(), patience)
    .toEqual(["5 -> 4", "4 -> 3", "3 -> 2", "2 -> 1", "1 -> 0"]);
});

test(
  "a cluster grows during a rollout: new pods come with the old template, and are updated first",
  unhurried,
  async () => {
    const { world } = await createWorld();
    await world.kubelet.decide((pod) => (versionOf(pod) === "2" ? "starting" : "ready"));
    await world.editTemplate("2");
    await expect.poll(() => world.versions(), patience).toEqual(["-", "-", "2"]);
    await world.edit({ replicas: 5 });
    await expect.poll(() => world.versions(), patience).toEqual(["-", "-", "2", "-", "-"]);
    await world.kubelet.decide(() => "ready");
    await world.rolledOut("2", 5);
  },
);

test("a cluster that is taken offline during a rollout comes back updated", unhurried, async () => {
  const { world } = await createWorld();
  await world.kubelet.decide((pod) => (versionOf(pod) === "2" ? "starting" : "ready"));
  await world.editTemplate("2");
  await expect.poll(() => world.versions(), patience).toEqual(["-", "-", "2"]);
  await world.edit({ offline: true });
  await expect.poll(() => world.versions(), patience).toEqual([]);
  await world.kubelet.decide(() => "ready");
  await world.edit({ offline: false });
  await world.rolledOut("2", 3);
});

test("eleven instances are updated from ten down to zero", unhurried, async () => {
  const { world } = await createWorld({ replicas: 11 });
  await world.editTemplate("2");
  await world.rolledOut("2", 11);
  expect(world.kubelet.mostDown()).toBe(1);
  const expected = Array.from({ length: 11 }, (_, step) => `${11 - step} -> ${10 - step}`);
  // From the eleventh of a kind on, Events are combined, and say so.
  const told = async () => (await world.partitionUpdates()).map((each) => each.replace(/^\(combined .*?\): /, ""));
  await expect.poll(told, patience).toEqual(expected);
});
