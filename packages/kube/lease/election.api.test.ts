import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { sharedControlPlane } from "@moco-ts/local-kubernetes";
import { describe, expect, onTestFailed, onTestFinished, test, vi } from "vitest";
import { testClient, testNamespace } from "../testing/cluster.ts";
import { ConfigMaps, Leases, type LeaseSpec } from "../types/generated/index.ts";

const program = fileURLToPath(import.meta.resolve("./testing/replica.ts"));
const leaseDuration = 6000;

/** A namespace with a journal, and replicas of a program, each a process, of which the leader writes into it. */
async function setUp() {
  const { kubeconfigPath } = await sharedControlPlane();
  const client = await testClient();
  const namespace = await testNamespace(client);
  await client.create(ConfigMaps, { metadata: { namespace, name: "journal" } });

  const journal = async (): Promise<Record<string, string>> =>
    (await client.get(ConfigMaps, { namespace, name: "journal" })).data ?? {};
  const lease = async (): Promise<LeaseSpec | undefined> => {
    const { items } = await client.list(Leases, { namespace });
    return items[0]?.spec;
  };

  const start = (identity: string): Replica => {
    const replica = new Replica(identity, [program, kubeconfigPath, namespace, identity]);
    onTestFailed(() => console.log(replica.output));
    onTestFinished(() => replica.end());
    return replica;
  };
  /** Resolves when it leads and writes. */
  const untilWriting = async (identity: string, timeout = 40_000): Promise<void> => {
    await expect.poll(async () => (await lease())?.holderIdentity, { timeout, interval: 50 }).toBe(identity);
    await expect.poll(async () => Number((await journal())[identity] ?? 0), { timeout: 60_000 }).toBeGreaterThan(3);
  };
  return { start, untilWriting, journal, lease };
}

class Replica {
  readonly identity: string;
  readonly child: ChildProcess;
  /** Code and signal. */
  readonly ended: Promise<unknown[]>;
  output = "";

  constructor(identity: string, parameters: string[]) {
    this.identity = identity;
    this.child = spawn(process.execPath, parameters, { stdio: ["ignore", "inherit", "pipe"] });
    this.child.stderr!.setEncoding("utf8").on("data", (text: string) => (this.output += text));
    this.ended = once(this.child, "exit");
  }

  /** Resolves when it waits for another one's lease. */
  async untilStandingBy(): Promise<void> {
    await vi.waitUntil(() => this.output.includes("the lease has a holder"), { timeout: 40_000, interval: 50 });
  }

  async end(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.ended;
  }
}

describe("two replicas, each a process", () => {
  test("take over from a leader that was killed, when its lease has expired", async () => {
    const { start, untilWriting, journal, lease } = await setUp();
    const first = start("first");
    await untilWriting("first");
    const second = start("second");
    await second.untilStandingBy();
    const taken = await lease();
    expect(taken).toMatchObject({ holderIdentity: "first", leaseDurationSeconds: 6, leaseTransitions: 0 });
    expect(taken?.renewTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    await expect.poll(async () => (await lease())?.renewTime).not.toBe(taken?.renewTime);
    expect((await lease())?.acquireTime).toBe(taken?.acquireTime);

    const killed = performance.now();
    await first.end();
    await untilWriting("second");
    const took = performance.now() - killed;
    expect(took).toBeGreaterThan(leaseDuration - 1000);
    expect(took).toBeLessThan(leaseDuration * 3);
    expect(await lease()).toMatchObject({ holderIdentity: "second", leaseTransitions: 1 });
    expect(Object.keys(await journal()).sort()).toEqual(["first", "second"]);
  });

  test("hand over at once when the leader is told to stop", async () => {
    const { start, untilWriting, lease } = await setUp();
    const first = start("first");
    await untilWriting("first");
    await start("second").untilStandingBy();
    first.child.kill("SIGTERM");
    expect(await first.ended).toEqual([0, null]);
    const ended = performance.now();
    await untilWriting("second");
    expect(performance.now() - ended).toBeLessThan(leaseDuration - 1000);
    expect(await lease()).toMatchObject({ leaseTransitions: 1, leaseDurationSeconds: 6 });
  });

  test("a leader that was frozen for longer than its lease ends when it wakes, without one more write", async () => {
    const { start, untilWriting, journal, lease } = await setUp();
    const replicas = new Map(["a", "b", "c", "d"].map((identity) => [identity, start(identity)]));
    const untilLed = async (): Promise<Replica> => {
      const led = async (): Promise<boolean> => replicas.has((await lease())?.holderIdentity ?? "");
      await expect.poll(led, { timeout: 40_000, interval: 50 }).toBe(true);
      const leader = replicas.get((await lease())!.holderIdentity!)!;
      await untilWriting(leader.identity);
      return leader;
    };
    for (let round = 1; round <= 3; round++) {
      const leader = await untilLed();
      replicas.delete(leader.identity);
      leader.child.kill("SIGSTOP");
      const successor = await untilLed();
      const last = (await journal())[leader.identity];

      leader.child.kill("SIGCONT");
      expect(await leader.ended).toEqual([1, null]);
      const afterwards = (await journal())[leader.identity];
      expect(afterwards).toBe(last);
      expect(await lease()).toMatchObject({ holderIdentity: successor.identity, leaseTransitions: round });
    }
  }, 180_000);
});
