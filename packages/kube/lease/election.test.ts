import { Metrics } from "@moco-ts/base";
import { describe, expect, it } from "vitest";
import { LeaderElection } from "./election.ts";
import { LeadershipError } from "./leadership.ts";
import { SimulatedProcess, World } from "./testing/simulation.ts";

const forever = new AbortController().signal;

function setUp() {
  const world = new World(1);
  const candidate = (identity: string) => {
    const process = new SimulatedProcess(world, 1);
    const metrics = new Metrics();
    const { client, clock } = process;
    const election = new LeaderElection({
      client,
      clock,
      metrics,
      identity,
      namespace: "ns",
      name: "moco",
      random: world.random,
    });
    const acquired = election.acquire(forever);
    return { process, election, acquired, metrics };
  };
  return { world, time: world.time, candidate };
}

describe("a leader on a machine that was suspended", () => {
  it("no longer leads when it wakes, though its monotonic clock stood still", async () => {
    const { time, candidate } = setUp();
    const { process, election } = candidate("a");
    await time.advance(5_000);
    expect(election.isHeld()).toBe(true);
    process.wallOffset += 60_000;
    expect(() => election.assertHeld()).toThrow(expect.objectContaining({ code: "LEADERSHIP_LOST" }));
    expect(election.lost.aborted).toBe(true);
  });
});

describe("a candidate", () => {
  it("leads at once where there is no lease", async () => {
    const { world, time, candidate } = setUp();
    const { election, metrics } = candidate("a");
    expect(() => election.assertHeld()).toThrow(expect.objectContaining({ code: "NOT_LEADING" }));
    await time.advance(0);
    expect(() => election.assertHeld()).not.toThrow();
    expect(world.holder).toBe("a");
    expect(await metrics.text()).toContain('leader_election_master_status{name="moco"} 1');
  });

  it("waits for the lease's duration after the last sign of life that it saw itself", async () => {
    const { time, candidate } = setUp();
    const a = candidate("a");
    await time.advance(10_000);
    const b = candidate("b");
    b.process.wallOffset = 1e9; // By its wall clock the lease expired long ago.
    await time.advance(30_000);
    expect(a.election.isHeld()).toBe(true);
    expect(b.election.isHeld()).toBe(false);
    expect(await b.metrics.text()).toContain('leader_election_master_status{name="moco"} 0');

    a.process.kill();
    await time.advance(14_000);
    expect(b.election.isHeld()).toBe(false);
    await time.advance(4_000);
    expect(b.election.isHeld()).toBe(true);
  });

  it("does not take an edit of the lease's metadata for a sign of life", async () => {
    const { world, time, candidate } = setUp();
    const a = candidate("a");
    await time.advance(0);
    const b = candidate("b");
    await time.advance(0);
    a.process.kill();
    for (let second = 0; second < 20; second++) {
      await time.advance(1000);
      const lease = world.get();
      world.update({ ...lease, metadata: { ...lease.metadata, annotations: { second: `${second}` } } });
    }
    expect(b.election.isHeld()).toBe(true);
    expect(world.lease?.metadata?.annotations).toBeDefined();
  });

  it("waits out a holder that it saw alive before the lease was deleted", async () => {
    const { world, time, candidate } = setUp();
    const a = candidate("a");
    await time.advance(0);
    const b = candidate("b");
    await time.advance(0);
    a.process.kill();
    world.lease = undefined;
    await time.advance(14_000);
    expect(b.election.isHeld()).toBe(false);
    await time.advance(3_000);
    expect(b.election.isHeld()).toBe(true);
  });

  it("gives up when it is told to", async () => {
    const { time, world, candidate } = setUp();
    candidate("a");
    await time.advance(0);
    const { client, clock } = new SimulatedProcess(world, 1);
    const stop = new AbortController();
    const election = new LeaderElection({ client, clock, namespace: "ns", name: "moco" });
    const standing = election.acquire(stop.signal);
    await time.advance(5000);
    stop.abort(new Error("shutting down"));
    await expect(standing).rejects.toThrow("shutting down");
    expect(election.identity).toMatch(/_[0-9a-f-]{36}$/);
  });
});

describe("a leader", () => {
  it("keeps the lease through short faults, lost answers and edits by others", async () => {
    const { world, time, candidate } = setUp();
    const a = candidate("a");
    await time.advance(0);
    for (let round = 0; round < 10; round++) {
      world.weather = { loss: 0.5, delay: 100 };
      await time.advance(3000);
      world.weather = { loss: 0, delay: 10 };
      const lease = world.get();
      world.update({ ...lease, metadata: { ...lease.metadata, labels: { round: `${round}` } } });
      await time.advance(6000);
      expect(a.election.isHeld()).toBe(true);
    }
    expect(world.lease?.spec?.leaseTransitions).toBe(0);
  });

  it("makes the lease anew when somebody deleted it", async () => {
    const { world, time, candidate } = setUp();
    const a = candidate("a");
    await time.advance(0);
    world.lease = undefined;
    await time.advance(3000);
    expect(world.holder).toBe("a");
    expect(a.election.isHeld()).toBe(true);
  });

  it("stops at the renew deadline when the server does not answer", async () => {
    const { world, time, candidate } = setUp();
    const a = candidate("a");
    await time.advance(0);
    world.weather = { loss: 1, delay: 0 };
    await time.advance(9_999);
    expect(a.election.lost.aborted).toBe(false);
    await time.advance(2_001);
    expect(a.election.lost.aborted).toBe(true);
    expect(a.election.lost.reason).toBeInstanceOf(LeadershipError);
    expect(await a.metrics.text()).toContain('leader_election_master_status{name="moco"} 0');
  });

  it("stops at once when it sees another holder", async () => {
    const { world, time, candidate } = setUp();
    const a = candidate("a");
    await time.advance(0);
    const lease = world.get();
    world.update({ ...lease, spec: { ...lease.spec, holderIdentity: "b" } });
    await time.advance(2_500);
    expect(a.election.lost.reason).toMatchObject({ code: "LEADERSHIP_LOST", message: expect.stringContaining('"b"') });
  });

  it("that was frozen for too long may not act when it wakes, even before any timer has fired", async () => {
    const { time, candidate } = setUp();
    const a = candidate("a");
    await time.advance(0);
    time.freeze(10_001);
    expect(a.election.isHeld()).toBe(false);
    expect(() => a.election.assertHeld()).toThrow(expect.objectContaining({ code: "LEADERSHIP_LOST" }));
    expect(a.election.lost.aborted).toBe(true);
  });

  it("that was frozen during a renewal does not count the time for which the answer lay waiting", async () => {
    const { world, time, candidate } = setUp();
    const a = candidate("a");
    await time.advance(0);
    world.weather = { loss: 0, delay: 50 };
    await time.advance(2_001); // The renewal is under way.
    a.process.freeze();
    await time.advance(20_000);
    a.process.thaw();
    await time.advance(1);
    expect(a.election.lost.aborted).toBe(true);
  });

  it("hands over in seconds when it releases the lease", async () => {
    const { world, time, candidate } = setUp();
    const a = candidate("a");
    await time.advance(0);
    const b = candidate("b");
    await time.advance(3000);
    const released = a.election.release(forever);
    expect(a.election.isHeld()).toBe(false);
    await time.advance(0);
    await released;
    expect(world.lease?.spec).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1 });
    expect(a.election.lost.aborted).toBe(false);
    await time.advance(2_500);
    expect(b.election.isHeld()).toBe(true);
    expect(world.lease?.spec).toMatchObject({ holderIdentity: "b", leaseDurationSeconds: 15, leaseTransitions: 1 });
  });

  it("leaves no timer behind when it has released", async () => {
    const { time, candidate } = setUp();
    const a = candidate("a");
    await time.advance(5000);
    const released = a.election.release(forever);
    await time.advance(0);
    await released;
    expect(time.pending).toBe(0);
  });
});
