/** For tests: instances and clusters that are as new, and end with the file's tests. */
import { setTimeout as delay } from "node:timers/promises";
import { afterAll } from "vitest";
import type { Connection } from "../../connection/connection.ts";
import {
  replicate,
  resetTestInstance,
  startTestInstance,
  startTestInstances,
  type TestInstance,
} from "../../testing/index.ts";

/** Tests end by their own time limit. */
export const { signal } = new AbortController();

export interface Cluster {
  readonly primary: TestInstance;
  readonly replicas: readonly [TestInstance, ...TestInstance[]];
  /** A user's session on the primary, which has an empty table test.t. */
  readonly writer: Connection;
}

export interface Stock {
  /** Instances that are prepared, and nothing else. */
  readonly instances: (count: number) => Promise<TestInstance[]>;
  /** A primary that is open and waits for one acknowledgement, and replicas that have everything. */
  readonly cluster: (replicaCount: number) => Promise<Cluster>;
}

/** To be called once in a file. */
export function stockOfInstances(): Stock {
  let stock: TestInstance[] = [];
  afterAll(async () => void (await Promise.all(stock.map((each) => each.dispose()))));
  const instances = async (count: number): Promise<TestInstance[]> => {
    const started = startTestInstances(Math.max(count - stock.length, 0));
    stock = [...(await Promise.all(stock.map(renewed))), ...(await started)];
    return stock.slice(0, count);
  };
  return { instances, cluster: async (replicaCount) => makeCluster(await instances(1 + replicaCount)) };
}

/** One that does not get well is replaced. */
async function renewed(instance: TestInstance): Promise<TestInstance> {
  try {
    await resetTestInstance(instance);
    return instance;
  } catch {
    await instance.dispose();
    return startTestInstance();
  }
}

async function makeCluster(started: readonly TestInstance[]): Promise<Cluster> {
  const [primary, ...replicas] = started as [TestInstance, TestInstance];
  await replicate(primary, replicas, 1, signal);
  const writer = await primary.connect("moco-writable");
  await writer.query("CREATE DATABASE test");
  await writer.query("CREATE TABLE test.t (id INT PRIMARY KEY, filler LONGTEXT)");
  const { executed } = await primary.instance.observe(signal);
  for (const { instance, uuid } of replicas) await instance.hasExecuted(uuid, executed, 10_000, signal);
  return { primary, replicas, writer };
}

export async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(20);
}

/** How a statement ends for its client. */
export function outcome(connection: Connection, statement: string): Promise<string> {
  return connection.query(statement, [], { timeout: Infinity }).then(
    () => "OK",
    (error: unknown) => (error as { code: string }).code,
  );
}

/** A commit that waits, since nobody is attached who could acknowledge it. */
export async function waitingCommit({ primary, replicas, writer }: Cluster): Promise<{ answer: Promise<string> }> {
  for (const { instance, uuid } of replicas) await instance.stopReceiver(uuid, signal);
  await until(async () => (await primary.instance.observe(signal)).source.receivers.length === 0);
  const answer = outcome(writer, "INSERT INTO test.t (id) VALUES (1)");
  await until(async () => (await primary.instance.observe(signal)).source.waitingSessions === 1);
  return { answer };
}
