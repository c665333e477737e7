import assert from "node:assert/strict";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { LeaderElection } from "./election.ts";
import { SimulatedProcess, World } from "./testing/simulation.ts";

/**
 * A replica as the manager runs it: it stands, acts often while it leads, asking its guard before each act, and dies when
 * it loses. Whoever acts or could act must be the holder, and the only one whose guard would let it.
 */
class Replica {
  readonly election: LeaderElection;
  readonly process: SimulatedProcess;
  readonly #world: World;
  readonly #peers: readonly Replica[];
  acts = 0;

  constructor(world: World, identity: string, rate: number, peers: readonly Replica[]) {
    this.#world = world;
    this.#peers = peers;
    this.process = new SimulatedProcess(world, rate);
    const { client, clock } = this.process;
    this.election = new LeaderElection({ client, clock, identity, namespace: "ns", name: "x", random: world.random });
    this.election.lost.addEventListener("abort", () => this.process.kill());
    this.process.afterWake = () => this.#check();
  }

  async run(): Promise<void> {
    await this.election.acquire(new AbortController().signal);
    this.#actAgain();
  }

  #actAgain(): void {
    this.process.clock.schedule(700, () => {
      try {
        this.election.assertHeld();
      } catch {
        return; // It is dead.
      }
      this.acts++;
      this.#check();
      this.#actAgain();
    });
  }

  #check(): void {
    if (!this.election.isHeld()) return;
    assert.equal(this.#world.holder, this.election.identity, "who may act holds the lease");
    for (const peer of this.#peers) assert.ok(peer === this || !peer.election.isHeld(), "nobody else may act now");
  }
}

const duration = fc.integer({ min: 500, max: 40_000 });
const replica = fc.oneof(fc.nat({ max: 2 }), fc.constant("leader" as const));
const trouble = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("freeze"), replica, lasts: duration, after: duration }) },
  fc.record({ kind: fc.constant("kill"), replica, after: duration }),
  fc.record({ kind: fc.constant("release"), replica, after: duration }),
  fc.record({
    kind: fc.constant("setClock"),
    replica,
    by: fc.integer({ min: -1e9, max: 1e9 }),
    after: duration,
  }),
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("weather"),
      loss: fc.constantFrom(0, 0.1, 0.5, 1),
      delay: fc.constantFrom(0, 200, 1000, 3000, 12_000),
      after: duration,
    }),
  },
);

it("never lets two act at once, whatever happens to processes, clocks and network, and always gets a leader again", async () => {
  let acts = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.integer(),
      fc.array(fc.double({ min: 0.9, max: 1.1, noNaN: true }), { minLength: 3, maxLength: 3 }),
      fc.array(trouble, { maxLength: 12 }),
      async (seed, rates, troubles) => {
        const world = new World(seed);
        world.weather = { loss: 0, delay: 500 };
        const replicas: Replica[] = [];
        let born = 0;
        const start = (index: number): void => {
          replicas[index] = new Replica(world, `replica-${born++}`, rates[index]!, replicas);
          void replicas[index].run();
        };
        const restartDead = (): void => replicas.forEach((each, index) => each.process.alive || start(index));
        const find = (which: number | "leader"): Replica =>
          (which === "leader" ? replicas.find(({ election }) => election.isHeld()) : replicas[which]) ?? replicas[0]!;
        for (const index of rates.keys()) start(index);

        for (const each of troubles) {
          switch (each.kind) {
            case "freeze": {
              const { process } = find(each.replica);
              process.freeze();
              world.time.schedule(each.lasts, () => process.thaw());
              break;
            }
            case "kill":
              find(each.replica).process.kill();
              break;
            case "release": {
              const { election, process } = find(each.replica);
              if (!election.isHeld()) break;
              void election.release(AbortSignal.timeout(1e6)).then(() => process.kill());
              break;
            }
            case "setClock":
              find(each.replica).process.wallOffset += each.by;
              break;
            case "weather":
              world.weather = each;
              break;
          }
          await world.time.advance(each.after);
          restartDead();
        }

        world.weather = { loss: 0, delay: 50 };
        await world.time.advance(41_000);
        restartDead();
        await world.time.advance(30_000);
        restartDead();
        await world.time.advance(10_000);
        expect(replicas.filter(({ election }) => election.isHeld())).toHaveLength(1);
        for (const each of replicas) {
          acts += each.acts;
          each.process.kill();
        }
      },
    ),
    { numRuns: 200 },
  );
  expect(acts).toBeGreaterThan(1000);
}, 60_000);
