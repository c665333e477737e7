import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { instanceOf, startTestInstance, type TestInstance } from "../testing/index.ts";
import type { MysqlInstance } from "./mysql-instance.ts";
import { signal, stockOfInstances, until, waitingCommit } from "./testing/fixture.ts";

const { cluster, instances } = stockOfInstances();

/** Another operator's. */
function another({ mysqld }: TestInstance, mayChange: () => void = () => undefined): MysqlInstance {
  const instance = instanceOf(mysqld, { mayChange, lookTimeout: 10_000 });
  onTestFinished(() => instance.close());
  return instance;
}

test("a successor cuts its predecessor off, which can't come back", async () => {
  const [only] = await instances(1);
  const { uuid } = only!;
  let isLeader = true;
  const old = another(only!, () => {
    if (!isLeader) throw new Error("another one leads");
  });
  await old.open(uuid, 0, signal);
  isLeader = false;
  const successor = another(only!);
  expect(await successor.cutOff(uuid, { patience: 0 }, signal)).toMatchObject({ complete: true, problem: undefined });
  await expect(old.open(uuid, 0, signal)).rejects.toThrow("another one leads");
  expect(await successor.observe(signal)).toMatchObject({ readOnly: true, superReadOnly: true });
  // Looking is not changing.
  expect((await old.observe(signal)).uuid).toBe(uuid);
});

test("a predecessor that was just opening it does not look like somebody who ends mysqld", async () => {
  const [only] = await instances(1);
  const holder = await only!.connect();
  await holder.query("DO GET_LOCK('moco-operator', 0)");
  await holder.query("DO GET_LOCK('moco-opening', 0)");
  const successor = another(only!);
  expect((await successor.observe(signal)).stopping).toBe(false);
  await successor.open(only!.uuid, 0, signal);
  expect(await successor.observe(signal)).toMatchObject({ readOnly: false, stopping: false });
});

test("a successor does not take back that a predecessor was making it read-only", async () => {
  const all = await cluster(1);
  const { primary } = all;
  const old = another(primary);
  const { answer } = await waitingCommit(all);
  expect((await old.cutOff(primary.uuid, { patience: 0 }, signal)).complete).toBe(false);
  const successor = another(primary);
  await successor.enforceSettings(primary.uuid, signal);
  expect(await successor.observe(signal)).toMatchObject({ readOnly: false, superReadOnly: true });
  await old.close();
  expect(await successor.observe(signal)).toMatchObject({ readOnly: false, superReadOnly: true });
  await successor.cutOff(primary.uuid, { patience: 0 }, signal);
  await successor.requireAcknowledgements(primary.uuid, 0, signal);
  expect(await answer).toBe("PROTOCOL_CONNECTION_LOST");
  expect(await successor.observe(signal)).toMatchObject({ readOnly: true, superReadOnly: true });
});

test("what is meant for one server is never done to another that has its address", async () => {
  const { instance, mysqld, uuid, dispose } = await startTestInstance();
  onTestFinished(dispose);
  await instance.prepare(signal);
  await mysqld.kill();
  await rm(join(mysqld.volumes.data, "data", "auto.cnf"));
  await mysqld.start();
  await until(async () =>
    instance.observe(signal).then(
      () => true,
      () => false,
    ),
  );
  const state = await instance.observe(signal);
  expect(state.uuid).not.toBe(uuid);
  const changes = [
    () => instance.open(uuid, 0, signal),
    () => instance.cutOff(uuid, { patience: 0 }, signal),
    () => instance.hasExecuted(uuid, state.executed, 100, signal),
    () => instance.makeEmpty(uuid, signal),
  ];
  for (const change of changes) {
    await expect(change()).rejects.toMatchObject({
      code: "INSTANCE_REPLACED",
      message: `the server at this address is ${state.uuid}, and not ${uuid}`,
    });
  }
  expect((await instance.observe(signal)).readOnly).toBe(true);
  await instance.open(state.uuid, 0, signal);
});
