import { GtidSet } from "@moco-ts/mysql";
import { replicate, startTestInstance, startTestInstances, type TestInstance } from "@moco-ts/mysql/testing";
import { expect, onTestFinished, test } from "vitest";
import { question } from "./query.ts";
import { reportOf, type InstanceReport } from "./report.ts";

const never = new AbortController().signal;
const patience = { timeout: 60_000 };

/** Asks as the user who may only read. */
async function ask(instance: TestInstance): Promise<InstanceReport> {
  const connection = await instance.connect("moco-readonly");
  const answers: Record<string, unknown> = {};
  for (const statement of question(7).split(";\n").filter(Boolean)) {
    for (const row of await connection.query(statement)) {
      const [value] = Object.values(row);
      Object.assign(answers, typeof value === "string" ? JSON.parse(value) : value);
    }
  }
  await connection.close();
  expect(answers["end"]).toBe(7);
  return reportOf(answers["report"], answers["clone"]);
}

test("an instance that is alone", async () => {
  const instance = await startTestInstance();
  onTestFinished(() => instance.dispose());
  const report = await ask(instance);
  expect(report).toMatchObject({
    uuid: instance.uuid,
    executed: "",
    readOnly: true,
    superReadOnly: true,
    offlineMode: false,
  });
  expect(report.source).toMatchObject({ enabled: false, active: false });
  expect(report).not.toHaveProperty("replica");
  expect(report).not.toHaveProperty("clone");
});

test("a primary and its replica, in order and behind", async () => {
  const [primary, replica] = (await startTestInstances(2)) as [TestInstance, TestInstance];
  onTestFinished(async () => {
    await Promise.all([primary.dispose(), replica.dispose()]);
  });
  await replicate(primary, [replica], 1, never);
  const writer = await primary.connect();
  await writer.query("CREATE DATABASE shop");
  const { source, executed } = await ask(primary);
  expect(source).toEqual({
    enabled: true,
    active: true,
    acknowledgements: 1,
    waitingSessions: 0,
    acknowledgingReplicas: 1,
  });

  await expect.poll(async () => (await ask(replica)).executed, patience).toBe(executed);
  const inOrder = (await ask(replica)).replica;
  expect(inOrder).toMatchObject({ sourceHost: "127.0.0.1", receiving: "yes", applying: true, lag: 0 });
  expect(inOrder?.heardAgo).toBeLessThan(5);

  const admin = await replica.connect();
  await admin.query("STOP REPLICA SQL_THREAD");
  await writer.query("CREATE DATABASE office");
  const wanted = GtidSet.parse((await ask(primary)).executed);
  await expect.poll(async () => (await ask(replica)).replica?.retrieved, patience).toBe(wanted.toString());
  const behind = await ask(replica);
  expect(wanted.subtract(GtidSet.parse(behind.executed)).size).toBe(1n);
  expect(behind.replica).toMatchObject({ receiving: "yes", applying: false });
  expect(behind.replica?.lag).toBeGreaterThan(0);

  await admin.query("STOP REPLICA");
  expect((await ask(replica)).replica).toMatchObject({ receiving: "no", applying: false });
});
