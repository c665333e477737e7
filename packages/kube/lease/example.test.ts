import { expect, it } from "vitest";
import { LeaderElection } from "./election.ts";
import { SimulatedProcess, World } from "./testing/simulation.ts";

it("example: two replicas, one leader at a time", async () => {
  const world = new World(42); // An API server; a program takes the client from connect().
  const replica = (identity: string): LeaderElection => {
    const { client, clock } = new SimulatedProcess(world, 1);
    return new LeaderElection({ client, clock, identity, namespace: "moco-system", name: "moco" });
  };
  const signal = new AbortController().signal;
  const [first, second] = [replica("first"), replica("second")];

  // The first one to come leads; the other one stands by.
  await Promise.all([first.acquire(signal), world.time.advance(0)]);
  const standing = second.acquire(signal);
  await world.time.advance(10_000);

  // Whoever is about to do what only the leader may do asks right before.
  first.assertHeld();
  expect(() => second.assertHeld()).toThrow("second does not lead");

  // A leader that goes in peace gives the lease up, and the other one need not wait until it expires.
  await Promise.all([first.release(signal), world.time.advance(0)]);
  await Promise.all([standing, world.time.advance(3_000)]);
  second.assertHeld();

  // One that freezes finds out when it wakes. The program ends when `lost` is aborted.
  second.lost.addEventListener("abort", () => expect(second.isHeld()).toBe(false));
  world.time.freeze(60_000);
  expect(() => second.assertHeld()).toThrow("second no longer leads");
});
