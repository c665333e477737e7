import { describe, expect, test } from "vitest";
import { mysqlUsers } from "@moco-ts/api";
import { GtidSet } from "../gtidset/gtidset.ts";
import type { TestInstance } from "../testing/index.ts";
import { type Cluster, outcome, signal, stockOfInstances, until } from "./testing/fixture.ts";

const { cluster } = stockOfInstances();

/** A replica that has received a row and has not executed it, though its applier runs. */
async function backlog({ writer, replicas }: Cluster): Promise<{ readonly release: () => Promise<void> }> {
  const [replica] = replicas;
  const holder = await replica.connect();
  await holder.query("FLUSH TABLES WITH READ LOCK");
  await writer.query("INSERT INTO test.t (id) VALUES (1)");
  await until(async () => !(await unexecuted(replica)).isEmpty);
  return { release: () => holder.close() };
}

async function unexecuted({ instance }: TestInstance): Promise<GtidSet> {
  const { executed, replica } = await instance.observe(signal);
  return replica!.retrieved.subtract(executed);
}

describe("what was received and is not executed", () => {
  test("stays when the source is exchanged", async () => {
    const all = await cluster(2);
    const [replica, other] = all.replicas as [TestInstance, TestInstance];
    const { release } = await backlog(all);
    await replica.instance.stopReceiver(replica.uuid, signal);
    const before = await unexecuted(replica);
    await replica.instance.repoint(replica.uuid, other.source, signal);
    expect((await unexecuted(replica)).toString()).toBe(before.toString());
    await release();
    expect(await replica.instance.hasExecuted(replica.uuid, before, 5_000, signal)).toBe(true);
    expect((await replica.instance.observe(signal)).replica).toMatchObject({ receiving: "no", attentive: true });
    await replica.instance.startReceiver(replica.uuid, signal);
    await until(async () => (await replica.instance.observe(signal)).replica!.sourceUuid === other.uuid);
    expect(await (await replica.connect()).query("SELECT id FROM test.t")).toEqual([{ id: 1 }]);
  });

  test("keeps the instance from getting a source in the way that forgets it, and from ending to be a replica", async () => {
    const all = await cluster(2);
    const [replica, other] = all.replicas as [TestInstance, TestInstance];
    const { release } = await backlog(all);
    const { instance, uuid } = replica;
    const rejection = { code: "RELAY_LOG_NEEDED", message: expect.stringContaining(all.primary.uuid) as string };
    await expect(instance.attach(uuid, other.source, signal)).rejects.toMatchObject(rejection);
    await expect(instance.detach(uuid, signal)).rejects.toMatchObject(rejection);
    const before = await unexecuted(replica);
    expect(before.isEmpty).toBe(false);
    await release();
    expect(await instance.hasExecuted(uuid, before, 5_000, signal)).toBe(true);
    await instance.detach(uuid, signal);
    expect((await instance.observe(signal)).replica).toBeUndefined();
    // Who is none need not become none.
    await instance.detach(uuid, signal);
  });

  test("is still there after a crash", async () => {
    const all = await cluster(1);
    const [replica] = all.replicas;
    await backlog(all);
    const before = await unexecuted(replica);
    await replica.mysqld.kill();
    await replica.mysqld.start();
    await until(async () =>
      replica.instance.observe(signal).then(
        () => true,
        () => false,
      ),
    );
    const state = await replica.instance.observe(signal);
    // By the last it is told from one whose applier somebody has stopped.
    expect(state.replica).toMatchObject({ receiving: "no", applying: false, heardAgo: undefined });
    expect(state.replica!.retrieved.contains(before)).toBe(true);
    await replica.instance.startApplier(replica.uuid, signal);
    expect(await replica.instance.hasExecuted(replica.uuid, before, 5_000, signal)).toBe(true);
  });
});

test("an applier that was killed in a transaction is told from one that somebody has stopped", async () => {
  const all = await cluster(1);
  const [replica] = all.replicas;
  const connection = await replica.connect();
  const { release } = await backlog(all);
  const before = await unexecuted(replica);
  const statement = `SELECT PROCESSLIST_ID AS id FROM performance_schema.threads
    WHERE NAME LIKE '%/replica_worker' AND PROCESSLIST_STATE LIKE '%lock'`;
  const [worker] = await connection.query<{ id: number }>(statement);
  await connection.query(`KILL ${worker!.id}`);
  await until(async () => !(await replica.instance.observe(signal)).replica!.applying);
  expect((await replica.instance.observe(signal)).replica).toMatchObject({ interrupted: true });
  await release();
  await replica.instance.startApplier(replica.uuid, signal);
  expect(await replica.instance.hasExecuted(replica.uuid, before, 5_000, signal)).toBe(true);

  await connection.query("STOP REPLICA SQL_THREAD");
  expect((await replica.instance.observe(signal)).replica).toMatchObject({ applying: false, interrupted: false });
});

describe("a source is not exchanged", () => {
  test("while the receiver runs, nor while the applier is stopped, which would cost the relay log", async () => {
    const { primary, replicas } = await cluster(1);
    const [{ instance, uuid, connect }] = replicas;
    await expect(instance.repoint(uuid, primary.source, signal)).rejects.toMatchObject({ code: "RECEIVER_RUNNING" });
    const admin = await connect();
    await admin.query("STOP REPLICA SQL_THREAD");
    await instance.stopReceiver(uuid, signal);
    await expect(instance.repoint(uuid, primary.source, signal)).rejects.toMatchObject({ code: "APPLIER_STOPPED" });
    expect((await instance.observe(signal)).replica).toMatchObject({ receiving: "no", applying: false });
    await instance.startApplier(uuid, signal);
    await instance.repoint(uuid, primary.source, signal);
    await instance.detach(uuid, signal);
    await expect(instance.repoint(uuid, primary.source, signal)).rejects.toMatchObject({ code: "REPLICA_MISSING" });
  });
});

test("what is started or stopped twice stays so", async () => {
  const { replicas } = await cluster(1);
  const [{ instance, uuid }] = replicas;
  await instance.startReceiver(uuid, signal);
  await instance.startApplier(uuid, signal);
  await instance.stopReceiver(uuid, signal);
  await instance.stopReceiver(uuid, signal);
  const heardAgo = expect.any(Number) as number;
  expect((await instance.observe(signal)).replica).toMatchObject({ receiving: "no", applying: true, heardAgo });
});

test("receiver and applier are started by one statement, also if one of them runs already", async () => {
  const { replicas } = await cluster(1);
  const [{ instance, uuid, connect }] = replicas;
  const admin = await connect();
  for (const threads of ["", "IO_THREAD", "SQL_THREAD"]) {
    await admin.query(`STOP REPLICA ${threads}`);
    await instance.startReplica(uuid, signal);
    await until(async () => (await instance.observe(signal)).replica?.receiving === "yes");
    expect((await instance.observe(signal)).replica).toMatchObject({ applying: true });
  }
  await instance.startReplica(uuid, signal);
});

test("a replica that connects by TLS checks whom it connects to", async () => {
  const { primary, replicas } = await cluster(1);
  const [replica] = replicas;
  const { instance, uuid } = replica;
  const replicationUser = mysqlUsers.replication.name;
  // A file that is there, of another authority.
  await instance.stopReceiver(uuid, signal);
  await instance.repoint(uuid, { ...primary.source, authorityFile: "ca.pem" }, signal);
  await instance.startReceiver(uuid, signal);
  await until(async () => (await instance.observe(signal)).replica?.receiveError !== undefined);
  const { receiveError } = (await instance.observe(signal)).replica!;
  expect(receiveError).toMatch(/SSL connection error|certificate/);
  expect(receiveError).not.toContain(`password: ${replicationUser}`);
});

test("waiting for transactions that don't come ends when the time is over", async () => {
  const { replicas } = await cluster(1);
  const [{ instance, uuid }] = replicas;
  const start = performance.now();
  const never = GtidSet.parse("11111111-1111-1111-1111-111111111111:1");
  expect(await instance.hasExecuted(uuid, never, 300, signal)).toBe(false);
  expect(performance.now() - start).toBeGreaterThan(290);
  expect(await outcome(await replicas[0].connect(), "SELECT 1")).toBe("OK");
});
