import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "@moco-ts/base";
import { expect, test } from "vitest";
import { testPasswords } from "../testing/index.ts";
import { Connections } from "./connections.ts";
import { cutOff, startClosing } from "./cut-off.ts";
import { outcome, signal, stockOfInstances, until, waitingCommit } from "./testing/fixture.ts";

const { cluster } = stockOfInstances();

test("sessions end, writes are refused, and what was committed is known", async () => {
  const { primary, writer } = await cluster(1);
  expect(await outcome(writer, "INSERT INTO test.t (id) VALUES (1)")).toBe("OK");
  const admin = await primary.connect();
  const patience = 30_000;
  const start = performance.now();
  const cut = await primary.instance.cutOff(primary.uuid, { patience }, signal);
  expect(performance.now() - start).toBeLessThan(patience);
  const state = await primary.instance.observe(signal);
  expect(cut).toEqual({ complete: true, executed: state.executed, problem: undefined });
  expect(state).toMatchObject({ readOnly: true, superReadOnly: true, offlineMode: false });
  // Local and privileged sessions too.
  expect(await outcome(writer, "SELECT 1")).toBe("PROTOCOL_CONNECTION_LOST");
  expect(await outcome(admin, "SELECT 1")).toBe("PROTOCOL_CONNECTION_LOST");
  expect(await outcome(await primary.connect(), "INSERT INTO test.t (id) VALUES (2)")).toBe(
    "ER_OPTION_PREVENTS_STATEMENT",
  );
  // Replicas stay attached.
  expect(state.source.receivers).toHaveLength(1);
});

test("the statement that closes it is not taken for a client's, however late a busy server begins with it", async () => {
  const { primary } = await cluster(1);
  const login = () => Promise.resolve({ user: "moco-admin", password: testPasswords["moco-admin"]! });
  const connections = new Connections({
    host: "127.0.0.1",
    port: primary.mysqld.adminPort,
    login,
    clock: systemClock,
  });
  const { connection: look } = await connections.look();
  const [change, late] = [await connections.change(primary.uuid), await connections.take("closing", primary.uuid)];
  const busy = delay(200);
  const query = (async (...rest) => {
    await busy;
    return late.query(...rest);
  }) as typeof late.query;
  const closing = startClosing({ id: late.id, query });
  const options = { look, change, closing, spared: connections.ids, patience: 0, clock: systemClock };
  expect(await cutOff(options, signal)).toMatchObject({ complete: true, problem: undefined });
  expect(await primary.instance.observe(signal)).toMatchObject({ readOnly: true, superReadOnly: true });
  await connections.close();
});

test("a commit that waits gets an error, never OK, and it can be brought to an end afterwards", async () => {
  const all = await cluster(1);
  const { primary } = all;
  const before = await primary.instance.observe(signal);
  const { answer } = await waitingCommit(all);
  const cut = await primary.instance.cutOff(primary.uuid, { patience: 100 }, signal);
  expect(cut).toMatchObject({
    complete: false,
    problem: expect.stringContaining("1 sessions that were killed") as string,
  });
  expect(await answer).toBe("PROTOCOL_CONNECTION_LOST");
  // Its thread hangs on. Whoever wants to make it read-only hangs behind it, and who wants to write behind that.
  expect(await primary.instance.observe(signal)).toMatchObject({
    readOnly: false,
    superReadOnly: true,
    source: { waitingSessions: 1 },
  });
  const late = outcome(await primary.connect(), "INSERT INTO test.t (id) VALUES (2)");
  // Nobody who waits is made to believe in a commit by this.
  await primary.instance.requireAcknowledgements(primary.uuid, 0, signal);
  await until(async () => (await primary.instance.observe(signal)).readOnly);
  expect(await late).not.toBe("OK");
  expect(await primary.instance.cutOff(primary.uuid, { patience: 100 }, signal)).toMatchObject({ complete: true });
  const after = await primary.instance.observe(signal);
  expect(after).toMatchObject({ superReadOnly: true, source: { waitingSessions: 0 }, offlineMode: false });
  expect(after.executed.subtract(before.executed).size).toBe(1n);
});

test("a commit that waits ends by its acknowledgement, if that comes in time", async () => {
  const all = await cluster(1);
  const { primary, replicas } = all;
  const { answer } = await waitingCommit(all);
  const cutting = primary.instance.cutOff(primary.uuid, { patience: 10_000 }, signal);
  await until(async () => (await primary.instance.observe(signal)).superReadOnly);
  await replicas[0].instance.startReceiver(replicas[0].uuid, signal);
  expect(await answer).toBe("OK");
  const cut = await cutting;
  expect(cut.complete).toBe(true);
  expect(await replicas[0].instance.hasExecuted(replicas[0].uuid, cut.executed!, 5_000, signal)).toBe(true);
});

test("a transaction that nobody ends holds it up for no longer than the patience, and is rolled back", async () => {
  const { primary, writer } = await cluster(1);
  await writer.query("BEGIN");
  await writer.query("INSERT INTO test.t (id) VALUES (1)");
  const sleeper = await primary.connect("moco-writable");
  const sleeping = outcome(sleeper, "INSERT INTO test.t (id) SELECT 2 + SLEEP(60)");
  await until(async () => {
    const admin = await primary.connect();
    const rows = await admin.query("SELECT 1 FROM performance_schema.processlist WHERE STATE = 'User sleep'");
    await admin.close();
    return rows.length === 1;
  });
  const start = performance.now();
  const cut = await primary.instance.cutOff(primary.uuid, { patience: 300 }, signal);
  // The transactions would take a minute, or for ever.
  expect(performance.now() - start).toBeLessThan(30_000);
  expect(cut.complete).toBe(true);
  expect(await sleeping).not.toBe("OK");
  expect((await primary.instance.observe(signal)).readOnly).toBe(true);
  expect(await (await primary.connect()).query("SELECT id FROM test.t")).toEqual([]);
});

test("it can be opened again, though somebody still waits to make it read-only", async () => {
  const all = await cluster(1);
  const { primary, replicas } = all;
  await waitingCommit(all);
  await primary.instance.cutOff(primary.uuid, { patience: 100 }, signal);
  await primary.instance.open(primary.uuid, 0, signal);
  await replicas[0].instance.startReceiver(replicas[0].uuid, signal);
  expect(await outcome(await primary.connect("moco-writable"), "INSERT INTO test.t (id) VALUES (2)")).toBe("OK");
  expect(await primary.instance.observe(signal)).toMatchObject({ readOnly: false, superReadOnly: false });
});

test("of many writers none is told OK for what the replica lacks", async () => {
  const { primary, replicas } = await cluster(1);
  const acknowledged: number[] = [];
  const write = async (number: number): Promise<void> => {
    const session = await primary.connect("moco-writable");
    for (let id = number; ; id += 8) {
      if ((await outcome(session, `INSERT INTO test.t (id) VALUES (${id})`)) !== "OK") return;
      acknowledged.push(id);
    }
  };
  const writers = Promise.all(Array.from({ length: 8 }, (_, index) => write(index + 1)));
  await until(async () => acknowledged.length > 100);
  const cut = await primary.instance.cutOff(primary.uuid, { patience: 5_000 }, signal);
  await writers;
  expect(cut.complete).toBe(true);
  const [replica] = replicas;
  expect(await replica.instance.hasExecuted(replica.uuid, cut.executed!, 10_000, signal)).toBe(true);
  const rows = await (await replica.connect()).query<{ id: number }>("SELECT id FROM test.t");
  const there = new Set(rows.map(({ id }) => id));
  expect(acknowledged.filter((id) => !there.has(id))).toEqual([]);
});

test("who hangs in a login, because users are being made, is no obstacle", async () => {
  const all = await cluster(1);
  const { primary } = all;
  await primary.instance.prepare(signal);
  const admin = await primary.connect();
  for (const { instance, uuid } of all.replicas) await instance.stopReceiver(uuid, signal);
  const creating = outcome(admin, "CREATE USER somebody");
  await until(async () => (await primary.instance.observe(signal)).source.waitingSessions === 1);
  // Nobody gets in now.
  const late = primary.connect("moco-writable").then(
    () => "OK",
    () => "refused",
  );
  await primary.instance.cutOff(primary.uuid, { patience: 100 }, signal);
  expect(await creating).toBe("PROTOCOL_CONNECTION_LOST");
  await primary.instance.requireAcknowledgements(primary.uuid, 0, signal);
  await until(async () => (await primary.instance.observe(signal)).readOnly);
  expect(await late).toBe("refused");
});

test("process 1 that ends mysqld is left alone, and keeps it from being opened", async () => {
  const { primary } = await cluster(1);
  const first = await primary.connect();
  await first.query("DO GET_LOCK('moco-opening', 0)");
  expect((await primary.instance.observe(signal)).stopping).toBe(true);
  expect((await primary.instance.cutOff(primary.uuid, { patience: 100 }, signal)).complete).toBe(true);
  expect(await outcome(first, "SELECT 1")).toBe("OK");
  await expect(primary.instance.open(primary.uuid, 0, signal)).rejects.toMatchObject({ code: "INSTANCE_STOPPING" });
  expect(await primary.instance.observe(signal)).toMatchObject({ readOnly: true, stopping: true });
});
