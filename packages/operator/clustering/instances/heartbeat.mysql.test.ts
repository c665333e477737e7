import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "@moco-ts/base";
import { instanceOf, replicate, startProxy, startTestInstances, type TestInstance } from "@moco-ts/mysql/testing";
import { followInstance } from "./heartbeat.ts";

const { signal } = new AbortController();
/** Milliseconds, for machines that have too much to do. How soon exactly is in heartbeat.test.ts, by a clock of its own. */
const soon = 15_000;

let primary: TestInstance;
let replica: TestInstance;
beforeAll(async () => {
  [primary, replica] = (await startTestInstances(2)) as [TestInstance, TestInstance];
  await replicate(primary, [replica], 1, signal);
});
afterAll(() => Promise.all([primary.dispose(), replica.dispose()]));

interface Follower {
  /** Times at which it was told that something has changed. */
  readonly times: number[];
  /** Milliseconds from `start` to the first time that it was told, after `start`. */
  told(start: number): Promise<number>;
}

/** Follows until the test ends; returns when nothing changes any more. */
async function follow(port: number): Promise<Follower> {
  const instance = instanceOf({ adminPort: port });
  const end = new AbortController();
  const times: number[] = [];
  const following = followInstance(instance, () => void times.push(performance.now()), systemClock, end.signal);
  onTestFinished(async () => {
    end.abort();
    await following;
    await instance.close();
  });
  const follower = {
    times,
    async told(start: number) {
      for (;;) {
        const first = times.find((time) => time > start);
        if (first !== undefined) return first - start;
        await delay(5);
      }
    },
  };
  await follower.told(0);
  while (!instance.isPrepared) await delay(10);
  return follower;
}

/** Does it, and tells after how many milliseconds it was noticed. */
async function noticed(follower: Follower, event: () => unknown): Promise<number> {
  const start = performance.now();
  await event();
  return follower.told(start);
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(20);
}

describe("an instance that is", () => {
  test("well says nothing, by one statement a second", async () => {
    const follower = await follow(primary.mysqld.adminPort);
    const admin = await primary.connect();
    const questions = async (): Promise<number> => {
      const [row] = await admin.query<{ value: string }>(
        "SELECT VARIABLE_VALUE AS value FROM performance_schema.global_status WHERE VARIABLE_NAME = 'Questions'",
      );
      return Number(row!.value);
    };
    await delay(1_000);
    const [before, start, told] = [await questions(), performance.now(), follower.times.length];
    await delay(5_000);
    const rate = ((await questions()) - before) / ((performance.now() - start) / 1_000);
    expect(rate).toBeLessThan(1.5);
    expect(follower.times.length).toBe(told);
  });

  test("killed is noticed at once, and so is its return", async () => {
    const follower = await follow(primary.mysqld.adminPort);
    expect(await noticed(follower, () => primary.mysqld.signal("SIGKILL"))).toBeLessThan(soon);
    await primary.mysqld.ended;
    await delay(1_200);
    const before = follower.times.length;
    await primary.mysqld.start();
    await primary.mysqld.ready();
    await follower.told(follower.times[before - 1]!);
    // Whoever follows takes the right to change the instance when it is back, perhaps in the middle of this.
    const reopened = async (): Promise<boolean> => {
      await primary.instance.requireAcknowledgements(primary.uuid, 1, signal);
      await primary.instance.open(primary.uuid, 0, signal);
      return true;
    };
    await until(() => reopened().catch(() => false));
  });

  test("frozen is noticed within two beats, and so is its return", async () => {
    const follower = await follow(primary.mysqld.adminPort);
    expect(await noticed(follower, () => primary.mysqld.freeze())).toBeLessThan(soon);
    expect(await noticed(follower, () => primary.mysqld.signal("SIGCONT"))).toBeLessThan(soon);
  });

  test("behind a network that swallows everything is noticed within two beats", async () => {
    const network = await startProxy(primary.mysqld.adminPort);
    onTestFinished(() => network.close());
    const follower = await follow(network.port);
    expect(await noticed(follower, () => network.freeze())).toBeLessThan(soon);
    expect(await noticed(follower, () => network.thaw())).toBeLessThan(soon);
  });

  test("opened, closed or detached is noticed at the next beat", async () => {
    const [source, follower] = [await follow(primary.mysqld.adminPort), await follow(replica.mysqld.adminPort)];
    const admin = await primary.connect();
    expect(await noticed(source, () => admin.query("SET GLOBAL super_read_only = ON"))).toBeLessThan(soon);
    expect(await noticed(source, () => admin.query("SET GLOBAL read_only = OFF"))).toBeLessThan(soon);
    const other = await replica.connect();
    expect(await noticed(follower, () => other.query("STOP REPLICA IO_THREAD"))).toBeLessThan(soon);
    expect(await noticed(follower, () => other.query("START REPLICA IO_THREAD"))).toBeLessThan(soon);
  });

  test("full of commits that hang is told of again and again, but not while they get on", async () => {
    const follower = await follow(primary.mysqld.adminPort);
    const admin = await primary.connect();
    await admin.query("CREATE DATABASE IF NOT EXISTS test");
    await until(async () => (await primary.instance.observe(signal)).source.acknowledgingReplicas === 1);
    await delay(2_500);
    const before = follower.times.length;
    for (const end = performance.now() + 3_000; performance.now() < end;) {
      await admin.query("CREATE OR REPLACE VIEW test.v AS SELECT 1");
    }
    expect(follower.times.length).toBe(before);
    await (await replica.connect()).query("STOP REPLICA IO_THREAD");
    await until(async () => (await primary.instance.observe(signal)).source.receivers.length === 0);
    const hanging = admin.query("CREATE OR REPLACE VIEW test.v AS SELECT 2", [], { timeout: Infinity });
    const start = performance.now();
    expect(await follower.told(start)).toBeGreaterThan(900);
    await follower.told(follower.times.at(-1)!);
    await (await replica.connect()).query("START REPLICA IO_THREAD");
    await hanging;
  });

  test("being ended is noticed although its process takes its time", async () => {
    const follower = await follow(replica.mysqld.adminPort);
    expect(await noticed(follower, () => replica.mysqld.signal("SIGTERM"))).toBeLessThan(soon);
    await replica.mysqld.ended;
    await replica.mysqld.start();
    await replica.mysqld.ready();
  });
});
