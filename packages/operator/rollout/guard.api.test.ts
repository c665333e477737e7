/** A changed template and the steps of rolling updates: two loops of one controller with the same StatefulSet. */
import { containerNames } from "@moco-ts/api";
import { sleep, systemClock } from "@moco-ts/base";
import type { PodSpec } from "@moco-ts/kube";
import { expect, test } from "vitest";
import { createWorld, patience, unhurried } from "./testing/world.ts";

const agentOf = (spec: PodSpec | undefined) =>
  spec?.containers.find(({ name }) => name === containerNames.agent)?.image;

test(
  "a new controller brings another agent image: its template is applied however long that takes, and then rolls out",
  unhurried,
  async () => {
    const { world, controller } = await createWorld();
    await controller.stop();
    // Longer than the rollout needs to see that the partition was raised, and to lower it.
    const beforeApply = () => sleep(systemClock, 500);
    const newer = await world.startController({ flags: ["--agent-image=agent:2"], beforeApply });
    const agents = async () => (await world.pods()).map(({ spec }) => agentOf(spec));
    await expect.poll(agents, patience).toEqual(["agent:2", "agent:2", "agent:2"]);
    await expect.poll(() => world.partitionUpdates(), patience).toEqual(["3 -> 2", "2 -> 1", "1 -> 0"]);
    expect(await newer.metrics()).toContain(
      'controller_runtime_reconcile_total{controller="instances",result="error"} 0',
    );
    expect(world.kubelet.mostDown()).toBe(1);
  },
);

test(
  "a template that the API server refuses: the partition stays raised, and nobody lowers it in turns",
  unhurried,
  async () => {
    const { world, controller } = await createWorld();
    await controller.stop();
    let attempts = 0;
    const beforeApply = () => Promise.reject(new Error(`refused ${++attempts} times`));
    const refused = await world.startController({ flags: ["--agent-image=agent:2"], beforeApply });
    await expect.poll(() => attempts, patience).toBeGreaterThan(9);
    expect([await world.partition(), await world.partitionUpdates()]).toEqual([3, []]);
    await refused.stop();
    await world.startController();
    await world.rolledOut("-", 3);
  },
);
