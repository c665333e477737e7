import { expect, test } from "vitest";
import { createWorld, patience } from "./testing/world.ts";

test("pods are updated one after the other, from the highest ordinal, and the primary last", async () => {
  const world = await createWorld();
  await world.startController();
  await world.rolledOut("-", 3);
  world.kubelet.expect(3);
  await world.editTemplate("2");
  await world.rolledOut("2", 3);
  expect(world.kubelet.mostDown()).toBe(1);
  expect(world.clustering.switchovers).toEqual(["0 -> 1"]);
  await expect.poll(() => world.partitionUpdates(), patience).toEqual(["3 -> 0", "3 -> 2", "2 -> 1", "1 -> 0"]);
});
