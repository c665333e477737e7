import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { GtidSet } from "../gtidset/gtidset.ts";
import type { TestInstance } from "../testing/index.ts";
import { reservedUuid } from "./instance.ts";
import { receivedBy } from "./state.ts";
import { outcome, signal, stockOfInstances, until, waitingCommit } from "./testing/fixture.ts";

const { cluster, instances } = stockOfInstances();

describe("acknowledgements that are asked for", () => {
  test("can become more at any time, and less only when clients have been cut off", async () => {
    const all = await cluster(1);
    const { primary, writer, replicas } = all;
    const { instance, uuid } = primary;
    await instance.requireAcknowledgements(uuid, 2, signal);
    const answer = outcome(writer, "INSERT INTO test.t (id) VALUES (1)");
    await until(async () => (await instance.observe(signal)).source.waitingSessions === 1);
    await expect(instance.requireAcknowledgements(uuid, 1, signal)).rejects.toMatchObject({ code: "INSTANCE_OPEN" });
    await expect(instance.requireAcknowledgements(uuid, 0, signal)).rejects.toMatchObject({ code: "INSTANCE_OPEN" });
    expect((await instance.observe(signal)).source).toMatchObject({ active: true, acknowledgements: 2 });
    await instance.cutOff(uuid, { patience: 0 }, signal);
    expect(await answer).toBe("PROTOCOL_CONNECTION_LOST");
    await instance.requireAcknowledgements(uuid, 1, signal);
    const state = await instance.observe(signal);
    expect(state).toMatchObject({ readOnly: true, superReadOnly: true });
    expect(state.source).toMatchObject({ enabled: true, active: true, acknowledgements: 1, waitingSessions: 0 });
    expect(await replicas[0].instance.hasExecuted(replicas[0].uuid, state.executed, 5_000, signal)).toBe(true);
  });

  test("are not asked for less while a client still waits, even if the instance looks closed", async () => {
    const all = await cluster(1);
    const { instance, uuid, connect } = all.primary;
    const { answer } = await waitingCommit(all);
    // Somebody's statement that hangs behind the commit.
    const closing = outcome(await connect(), "SET GLOBAL super_read_only = ON");
    await until(async () => (await instance.observe(signal)).superReadOnly);
    await instance.requireAcknowledgements(uuid, 0, signal);
    expect(await answer).toBe("PROTOCOL_CONNECTION_LOST");
    expect(await closing).toBe("OK");
  });

  test("are waited for again after waiting was given up", async () => {
    const all = await cluster(1);
    const { primary, replicas, writer } = all;
    const { instance, uuid } = primary;
    await replicas[0].instance.stopReceiver(replicas[0].uuid, signal);
    const admin = await primary.connect();
    await admin.query("SET GLOBAL rpl_semi_sync_source_timeout = 100");
    expect((await instance.observe(signal)).enforced).toBe(false);
    expect(await outcome(writer, "INSERT INTO test.t (id) VALUES (1)")).toBe("OK");
    expect((await instance.observe(signal)).source).toMatchObject({ enabled: true, active: false });
    await instance.cutOff(uuid, { patience: 0 }, signal);
    await instance.requireAcknowledgements(uuid, 1, signal);
    const state = await instance.observe(signal);
    expect(state.source).toMatchObject({ enabled: true, active: true });
    expect(state.enforced).toBe(true);
  });

  test("wait without end also while nobody is attached", async () => {
    const all = await cluster(1);
    const { answer } = await waitingCommit(all);
    expect(await Promise.race([answer, delay(1_500)])).toBeUndefined();
    const [replica] = all.replicas;
    await replica.instance.startReceiver(replica.uuid, signal);
    expect(await answer).toBe("OK");
  });
});

test("an instance that does not wait for as many acknowledgements is not opened", async () => {
  const [only] = (await instances(1)) as [TestInstance];
  const { instance, uuid } = only;
  const refused = expect.objectContaining({ code: "INSTANCE_NOT_WAITING" }) as unknown;
  await expect(instance.open(uuid, 1, signal)).rejects.toEqual(refused);
  await instance.requireAcknowledgements(uuid, 1, signal);
  await expect(instance.open(uuid, 2, signal)).rejects.toEqual(refused);
  expect(await instance.observe(signal)).toMatchObject({ readOnly: true, superReadOnly: true });
  await instance.open(uuid, 1, signal);
  expect(await instance.observe(signal)).toMatchObject({ readOnly: false, superReadOnly: false });
});

test("commits that wait for an acknowledgement are told of, whoever they are from", async () => {
  const all = await cluster(1);
  const { primary } = all;
  const { executed, committing } = await primary.instance.observe(signal);
  expect(committing.isEmpty).toBe(true);
  await waitingCommit(all);
  const others = ["11111111-1111-1111-1111-111111111111:5", "f1111111-1111-1111-1111-111111111111:tagged:7"];
  for (const [index, gtid] of others.entries()) {
    const session = await primary.connect();
    await session.query(`SET GTID_NEXT = '${gtid}'`);
    void outcome(session, `INSERT INTO test.t (id) VALUES (${index + 2})`);
  }
  const own = `${primary.uuid}:${executed.size + 1n}`;
  const expected = GtidSet.parse([own, ...others].join(","));
  await until(async () => (await primary.instance.observe(signal)).committing.equals(expected));
  const [replica] = all.replicas;
  await replica.instance.startReceiver(replica.uuid, signal);
  await until(async () => (await primary.instance.observe(signal)).committing.isEmpty);
  expect((await primary.instance.observe(signal)).executed.contains(expected)).toBe(true);
});

test("an acknowledgement counts after the replica that gave it has left", async () => {
  const { primary, replicas, writer } = await cluster(2);
  const [one, other] = replicas as readonly [TestInstance, TestInstance];
  await other.instance.stopReceiver(other.uuid, signal);
  await primary.instance.requireAcknowledgements(primary.uuid, 2, signal);
  const answer = outcome(writer, "INSERT INTO test.t (id) VALUES (1)");
  await until(async () => {
    const { committing } = await primary.instance.observe(signal);
    return !committing.isEmpty && receivedBy(await one.instance.observe(signal)).contains(committing);
  });
  await one.instance.stopReceiver(one.uuid, signal);
  await until(async () => (await primary.instance.observe(signal)).source.receivers.length === 0);
  await other.instance.startReceiver(other.uuid, signal);
  expect(await answer).toBe("OK");
});

test("a replica that does not acknowledge leaves commits waiting, and begins to with its next connection", async () => {
  const all = await cluster(1);
  const [replica] = all.replicas;
  const { instance, uuid } = replica;
  await instance.stopReceiver(uuid, signal);
  await instance.acknowledge(uuid, false, signal);
  await instance.startReceiver(uuid, signal);
  await until(async () => (await all.primary.instance.observe(signal)).source.acknowledgingReplicas === 0);
  const answer = outcome(all.writer, "INSERT INTO test.t (id) VALUES (1)");
  await until(async () => (await all.primary.instance.observe(signal)).source.waitingSessions === 1);
  const rows = async () => (await replica.connect()).query("SELECT id FROM test.t");
  await until(async () => (await rows()).length === 1);
  // It has the transaction, but received it before it acknowledged anything.
  await instance.stopReceiver(uuid, signal);
  await instance.acknowledge(uuid, true, signal);
  await instance.startReceiver(uuid, signal);
  await until(async () => (await all.primary.instance.observe(signal)).source.acknowledgingReplicas === 1);
  expect(await Promise.race([answer, delay(500)])).toBeUndefined();

  await all.primary.instance.nudge(all.primary.uuid, signal);
  expect(await answer).toBe("OK");
  const { executed } = await all.primary.instance.observe(signal);
  expect(executed.from([reservedUuid]).toString()).toBe(`${reservedUuid}:1`);
  await all.primary.instance.nudge(all.primary.uuid, signal);
  const after = await all.primary.instance.observe(signal);
  expect(after.executed.from([reservedUuid]).toString()).toBe(`${reservedUuid}:1-2`);
  expect(await instance.hasExecuted(uuid, after.executed, 5_000, signal)).toBe(true);
});

test("a nudge that nobody acknowledges gives up, holds nothing up, and the next one takes another number", async () => {
  const all = await cluster(1);
  const { primary, replicas } = all;
  await waitingCommit(all);
  const { instance, uuid } = primary;
  await expect(instance.nudge(uuid, signal)).rejects.toThrow("took longer than 500 ms");
  await expect(instance.nudge(uuid, signal)).rejects.toThrow("took longer than 500 ms");
  // Another operator can take over at once.
  await instance.enforceSettings(uuid, signal);
  await replicas[0].instance.startReceiver(replicas[0].uuid, signal);
  await until(async () => (await instance.observe(signal)).source.waitingSessions === 0);
  const { executed } = await instance.observe(signal);
  expect(executed.from([reservedUuid]).toString()).toBe(`${reservedUuid}:1-2`);
});
