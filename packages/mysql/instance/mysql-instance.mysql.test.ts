import { expect, test } from "vitest";
import type { Connection } from "../connection/connection.ts";
import { GtidSet } from "../gtidset/gtidset.ts";
import { instanceOf, replicate, type TestInstance } from "../testing/index.ts";
import { signal, stockOfInstances, until } from "./testing/fixture.ts";

const { instances } = stockOfInstances();

async function makeTable(primary: TestInstance): Promise<Connection> {
  const connection = await primary.connect("moco-writable");
  await connection.query("CREATE DATABASE test");
  await connection.query("CREATE TABLE test.t (id INT PRIMARY KEY)");
  return connection;
}

test("a switchover from one instance to another, and all that is seen of it", async () => {
  const [first, second, third] = (await instances(3)) as [TestInstance, TestInstance, TestInstance];
  const empty = await first.instance.observe(signal);
  expect(empty).toMatchObject({
    uuid: first.uuid,
    serverId: first.mysqld.port,
    readOnly: true,
    superReadOnly: true,
    offlineMode: false,
    stopping: false,
    enforced: false,
    dangers: [],
    replica: undefined,
    acknowledges: false,
    source: { enabled: false, active: false, waitingSessions: 0, receivers: [] },
  });
  expect(empty.executed.isEmpty).toBe(true);

  await replicate(first, [second, third], 1, signal);
  const writer = await makeTable(first);
  await writer.query("INSERT INTO test.t VALUES (1)");
  await until(async () => (await first.instance.observe(signal)).source.acknowledgingReplicas === 2);
  const primary = await first.instance.observe(signal);
  expect(primary).toMatchObject({
    readOnly: false,
    superReadOnly: false,
    enforced: true,
    source: { enabled: true, active: true, acknowledgements: 1, acknowledgingReplicas: 2 },
  });
  expect([...primary.source.receivers].sort()).toEqual([second.uuid, third.uuid].sort());
  // On a busy machine the last transaction may just be under way.
  await until(async () => {
    const { replica: channel } = await second.instance.observe(signal);
    return channel?.heardAgo !== undefined && channel.secondsBehind === 0;
  });
  const replica = await second.instance.observe(signal);
  expect(replica).toMatchObject({
    acknowledges: true,
    enforced: true,
    replica: {
      sourceHost: "127.0.0.1",
      sourceUuid: first.uuid,
      receiving: "yes",
      applying: true,
      receiveError: undefined,
      applyError: undefined,
      secondsBehind: 0,
      queueing: false,
      attentive: true,
    },
  });
  expect(replica.replica!.heardAgo).toBeLessThan(10_000);

  const cut = await first.instance.cutOff(first.uuid, { patience: 1_000 }, signal);
  expect(cut).toMatchObject({ complete: true, problem: undefined });
  await expect(writer.query("SELECT 1")).rejects.toMatchObject({ code: "PROTOCOL_CONNECTION_LOST" });
  expect(await second.instance.hasExecuted(second.uuid, cut.executed!, 5_000, signal)).toBe(true);
  await second.instance.detach(second.uuid, signal);
  await second.instance.requireAcknowledgements(second.uuid, 1, signal);
  await third.instance.stopReceiver(third.uuid, signal);
  await third.instance.repoint(third.uuid, second.source, signal);
  await third.instance.startReceiver(third.uuid, signal);
  await first.instance.requireAcknowledgements(first.uuid, 0, signal);
  await first.instance.attach(first.uuid, second.source, signal);
  await first.instance.startApplier(first.uuid, signal);
  await first.instance.startReceiver(first.uuid, signal);
  await second.instance.open(second.uuid, 0, signal);
  const again = await second.connect("moco-writable");
  await again.query("INSERT INTO test.t VALUES (2)");
  const { executed } = await second.instance.observe(signal);
  for (const { instance, uuid } of [first, third]) {
    expect(await instance.hasExecuted(uuid, executed, 5_000, signal)).toBe(true);
  }
  expect(executed.contains(GtidSet.parse(`${second.uuid}:1`))).toBe(true);
});

test("a session from before its user had privileges is not kept", async () => {
  const [{ mysqld, connect }] = (await instances(1)) as [TestInstance];
  const admin = await connect();
  await admin.query("SET SESSION sql_log_bin = OFF");
  await admin.query("SET GLOBAL super_read_only = OFF");
  await admin.query("CREATE USER early@'%' IDENTIFIED BY 'early'");
  // The admin port lets only those in who have privileges.
  const login = () => Promise.resolve({ user: "early", password: "early" });
  const early = instanceOf(mysqld, { port: mysqld.port, login });
  await expect(early.observe(signal)).rejects.toThrow(/denied/);
  await admin.query("GRANT ALL ON *.* TO early@'%'");
  expect(await early.observe(signal)).toMatchObject({ readOnly: true });
  await early.close();
  await admin.query("DROP USER early@'%'");
  await admin.query("SET GLOBAL super_read_only = ON");
});
