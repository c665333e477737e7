import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { instanceOf, startProxy, startTestInstance } from "../testing/index.ts";
import { outcome, signal, stockOfInstances, until } from "./testing/fixture.ts";

const { cluster, instances } = stockOfInstances();

test("a source that is frozen is heard no more at once, though the receiver seems to run", async () => {
  const { primary, replicas } = await cluster(1);
  const [{ instance }] = replicas;
  await until(async () => ((await instance.observe(signal)).replica?.heardAgo ?? Infinity) < 1_500);
  await primary.mysqld.freeze();
  try {
    await delay(2_000);
    const { replica } = await instance.observe(signal);
    expect(replica).toMatchObject({ receiving: "yes", queueing: false });
    expect(replica!.heardAgo).toBeGreaterThan(1_500);
    // By replica_net_timeout it is noticed by itself, and connected to again and again.
    await until(async () => (await instance.observe(signal)).replica!.receiving === "connecting");
  } finally {
    primary.mysqld.signal("SIGCONT");
  }
  await until(async () => {
    const { replica } = await instance.observe(signal);
    return replica!.receiving === "yes" && replica!.heardAgo! < 2_500;
  });
});

test("while a big transaction is received, that is what is seen", async () => {
  const { primary, replicas, writer } = await cluster(1);
  const [{ instance, uuid }] = replicas;
  const network = await startProxy(primary.mysqld.port);
  onTestFinished(() => network.close());
  await instance.stopReceiver(uuid, signal);
  await instance.repoint(uuid, { ...primary.source, port: network.port }, signal);
  await instance.startReceiver(uuid, signal);
  await until(async () => (await primary.instance.observe(signal)).source.acknowledgingReplicas === 1);
  network.freeze(1_000_000);
  const answer = outcome(writer, "INSERT INTO test.t VALUES (1, REPEAT('x', 2000000)), (2, REPEAT('x', 2000000))");
  await until(async () => (await instance.observe(signal)).replica!.queueing);
  await delay(1_500);
  const { replica } = await instance.observe(signal);
  expect(replica).toMatchObject({ receiving: "yes", queueing: true });
  expect(replica!.heardAgo).toBeGreaterThan(1_000);
  network.thaw();
  expect(await answer).toBe("OK");
  const { executed } = await primary.instance.observe(signal);
  expect(await instance.hasExecuted(uuid, executed, 30_000, signal)).toBe(true);
  expect((await instance.observe(signal)).replica!.queueing).toBe(false);
});

test("a frozen mysqld costs no more than the limit of a look, or of a change", async () => {
  const [only] = await instances(1);
  const { mysqld, uuid } = only!;
  const instance = instanceOf(mysqld);
  onTestFinished(() => instance.close());
  await instance.prepare(signal);
  await mysqld.freeze();
  const time = async (operation: Promise<unknown>): Promise<number> => {
    const start = performance.now();
    await expect(operation).rejects.toThrow(/took longer than|ETIMEDOUT/);
    return performance.now() - start;
  };
  // With a connection, and without one. Limits are one and five seconds, and the machine may be busy.
  expect(await time(instance.observe(signal))).toBeLessThan(5_000);
  expect(await time(instance.observe(signal))).toBeLessThan(5_000);
  expect(await time(instance.enforceSettings(uuid, signal))).toBeLessThan(15_000);
  mysqld.signal("SIGCONT");
  await until(async () =>
    instance.observe(signal).then(
      () => true,
      () => false,
    ),
  );
  await instance.enforceSettings(uuid, signal);
});

test("settings of the user's by which something could be lost are told, and all others are enforced", async () => {
  const options = { sync_binlog: "0", innodb_flush_log_at_trx_commit: "2", relay_log_recovery: "ON" };
  const { instance, uuid, connect, dispose } = await startTestInstance({ options });
  onTestFinished(dispose);
  const admin = await connect();
  await admin.query("SET PERSIST read_only = OFF");
  await admin.query("SET GLOBAL super_read_only = ON");
  const before = await instance.observe(signal);
  expect(before.dangers).toEqual(["relay_log_recovery=1", "sync_binlog=0", "innodb_flush_log_at_trx_commit=2"]);
  expect(before.enforced).toBe(false);
  await instance.enforceSettings(uuid, signal);
  expect((await instance.observe(signal)).enforced).toBe(true);
  expect(await admin.query("SELECT * FROM performance_schema.persisted_variables")).toEqual([]);
  const [row] = await admin.query(
    `SELECT @@sync_relay_log AS relay, @@rpl_semi_sync_source_timeout AS timeout, @@replica_net_timeout AS net`,
  );
  expect(row).toEqual({ relay: 1, timeout: 4_294_967_295, net: 5 });
});

test("what somebody persists is found later, where it counts", async () => {
  const started = [
    await startTestInstance(),
    await startTestInstance({ options: { persisted_globals_load: "OFF" } }),
  ] as const;
  onTestFinished(async () => void (await Promise.all(started.map((each) => each.dispose()))));
  for (const { connect } of started) {
    await (await connect()).query("SET PERSIST_ONLY super_read_only = OFF");
  }
  const [loads, ignores] = started;
  for (const { instance, uuid, connect } of started) {
    await instance.enforceSettings(uuid, signal);
    await (await connect()).query("SET PERSIST_ONLY super_read_only = OFF");
  }
  await until(async () => !(await loads.instance.observe(signal)).enforced);
  expect((await ignores.instance.observe(signal)).enforced).toBe(true);
});

test("a clone that failed is seen with its reason", async () => {
  const [only] = await instances(1);
  const { instance, connect } = only!;
  const agent = await connect("moco-agent");
  await agent.query("SET GLOBAL clone_valid_donor_list = '127.0.0.1:1'");
  await expect(
    agent.query("CLONE INSTANCE FROM 'moco-clone-donor'@'127.0.0.1':1 IDENTIFIED BY 'x'"),
  ).rejects.toMatchObject({ code: "ER_CLONE_DONOR" });
  expect((await instance.observe(signal)).clone).toEqual({
    state: "Failed",
    error: expect.stringContaining("Connect failed") as string,
  });
});
