import { setTimeout as delay } from "node:timers/promises";
import { beforeEach, describe, expect, test } from "vitest";
import { startAgent } from "../testing/agent.ts";
import { replicate, startInstance, type Instance } from "../testing/semi-sync.ts";

let primary: Instance;
let replica: Instance;

beforeEach(async () => {
  [primary, replica] = [await startInstance(), await startInstance()];
  await replicate(primary, replica);
});

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(50);
}

const caughtUp = (): Promise<void> =>
  until(async () => {
    const [row] = await replica.admin.query<{ done: number }>(
      `SELECT RECEIVED_TRANSACTION_SET <> '' AND GTID_SUBSET(RECEIVED_TRANSACTION_SET, @@gtid_executed) AS done
         FROM performance_schema.replication_connection_status`,
    );
    return row?.done === 1;
  });

describe("a replica", () => {
  test("is ready while it replicates, and its delay is told", async () => {
    await caughtUp();
    const agent = await startAgent(replica.mysqld);
    expect(await agent.probe("/readyz")).toEqual({ status: 200, text: "ok" });
    expect(await agent.metric("moco_instance_replication_delay_seconds")).toBe(0);
  });

  test("is not ready with one of its threads stopped", async () => {
    await caughtUp();
    const agent = await startAgent(replica.mysqld);
    for (const thread of ["IO_THREAD", "SQL_THREAD"]) {
      await replica.admin.query(`STOP REPLICA ${thread}`);
      expect((await agent.probe("/readyz")).status, thread).toBe(503);
      await replica.admin.query(`START REPLICA ${thread}`);
      await until(async () => (await agent.probe("/readyz")).status === 200);
    }
  });

  test("that is too late is not ready, unless it may be as late as it is", async () => {
    await caughtUp();
    const [strict, lenient] = [
      await startAgent(replica.mysqld, "--max-delay=1s"),
      await startAgent(replica.mysqld, "--max-delay=0s"),
    ];
    // The applier waits for this lock, while the receiver goes on.
    await replica.admin.query("LOCK INSTANCE FOR BACKUP");
    await replica.admin.query("FLUSH TABLES WITH READ LOCK");
    await primary.admin.query("INSERT INTO test.t VALUES (1)");
    await delay(1_200);
    await primary.admin.query("INSERT INTO test.t VALUES (2)");
    await until(async () => (await strict.probe("/readyz")).status === 503);
    expect((await strict.probe("/readyz")).text).toMatch(/the replica is .* behind, and may be 1s/);
    expect(await strict.metric("moco_instance_replication_delay_seconds")).toBeGreaterThan(1);
    expect((await lenient.probe("/readyz")).status).toBe(200);
    await replica.admin.query("UNLOCK TABLES");
    await until(async () => (await strict.probe("/readyz")).status === 200);
  });
});

describe("a replica that received nothing since its start", () => {
  beforeEach(async () => {
    await caughtUp();
    await replica.mysqld.kill();
    await replica.mysqld.start();
    await replica.mysqld.ready({ user: "moco-admin", password: "moco-admin" });
    replica = { ...replica, admin: await replica.mysqld.connect("moco-admin", "moco-admin") };
    await replica.admin.query("SET GLOBAL rpl_semi_sync_replica_enabled = ON");
    await replica.admin.query("START REPLICA");
  });

  test("waits for its first transaction", async () => {
    const agent = await startAgent(replica.mysqld);
    await until(async () => (await agent.probe("/readyz")).text.startsWith("no transaction was received"));
    // Some heartbeats later it still does.
    await delay(2_500);
    expect((await agent.probe("/readyz")).status).toBe(503);
    await primary.admin.query("INSERT INTO test.t VALUES (1)");
    await until(async () => (await agent.probe("/readyz")).status === 200);
  });

  test("waits only until the source shows that there is nothing, in Pods of version 2", async () => {
    const agent = await startAgent(replica.mysqld, "--queueing-wait-ends-early");
    const start = performance.now();
    await until(async () => (await agent.probe("/readyz")).status === 200);
    expect(performance.now() - start).toBeLessThan(15_000);
    expect(await agent.metric("moco_instance_replication_delay_seconds")).toBeUndefined();
  });

  test("waits as long as it is told", async () => {
    const agent = await startAgent(replica.mysqld, "--transaction-queueing-wait=1s");
    await until(async () => (await agent.probe("/readyz")).status === 200);
    expect(await agent.metric("moco_instance_replication_delay_seconds")).toBeUndefined();
  });
});
