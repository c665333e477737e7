import { expect, onTestFinished, test } from "vitest";
import { startTestInstance, type TestInstance } from "../testing/index.ts";
import { outcome, signal, stockOfInstances, until } from "./testing/fixture.ts";

const { instances } = stockOfInstances();

test("an instance with data of its own is emptied, and can be cloned into", { timeout: 120_000 }, async () => {
  const [primary] = (await instances(1)) as [TestInstance];
  await primary.instance.open(primary.uuid, 0, signal);
  await (await primary.connect("moco-writable")).query("CREATE DATABASE test");
  const errant = await startTestInstance({ restart: true });
  onTestFinished(errant.dispose);
  const { instance, uuid } = errant;
  await instance.open(uuid, 0, signal);
  const user = await errant.connect("moco-writable");
  await user.query("CREATE DATABASE `it``s mine`");
  await user.query("CREATE TABLE `it``s mine`.t (id INT PRIMARY KEY)");
  await (await errant.connect()).query("CREATE TABLESPACE shared ADD DATAFILE 'shared.ibd'");
  await user.query("CREATE TABLE `it``s mine`.u (id INT PRIMARY KEY)");
  await expect(instance.makeEmpty(uuid, signal)).rejects.toMatchObject({ code: "INSTANCE_OPEN" });
  await instance.cutOff(uuid, { patience: 0 }, signal);
  await instance.attach(uuid, primary.source, signal);

  await instance.makeEmpty(uuid, signal);
  const state = await instance.observe(signal);
  expect(state).toMatchObject({ readOnly: true, superReadOnly: true, replica: undefined, source: { enabled: false } });
  expect(state.executed.isEmpty).toBe(true);

  const agent = await errant.connect("moco-agent");
  const donor = `127.0.0.1:${primary.mysqld.adminPort}`;
  await agent.query("SET GLOBAL clone_valid_donor_list = ?", [donor]);
  const [host, port] = donor.split(":");
  await outcome(agent, `CLONE INSTANCE FROM 'moco-clone-donor'@'${host}':${port} IDENTIFIED BY 'moco-clone-donor'`);
  await until(async () =>
    instance.observe(signal).then(
      ({ clone }) => clone?.state === "Completed",
      () => false,
    ),
  );
  const cloned = await instance.observe(signal);
  expect(cloned).toMatchObject({ readOnly: true, superReadOnly: true });
  expect(cloned.executed.equals((await primary.instance.observe(signal)).executed)).toBe(true);
  // CLONE keeps it: whoever starts mysqld has to change it.
  expect(cloned.uuid).toBe(uuid);
});

test("a privileged client that writes meanwhile is not told that it could", async () => {
  const [only] = await instances(1);
  const { instance, uuid, connect } = only!;
  await instance.open(uuid, 0, signal);
  const holder = await connect();
  await holder.query("CREATE DATABASE data");
  await holder.query("CREATE TABLE data.t (id INT PRIMARY KEY)");
  await instance.cutOff(uuid, { patience: 0 }, signal);
  const reader = await connect();
  await reader.query("BEGIN");
  await reader.query("SELECT * FROM data.t");
  const emptying = instance.makeEmpty(uuid, signal);
  await until(async () => !(await instance.observe(signal)).superReadOnly);
  const intruder = outcome(await connect(), "CREATE DATABASE other");
  await until(async () => (await instance.observe(signal)).source.waitingSessions === 1);
  await reader.close();
  await expect(emptying).rejects.toMatchObject({ code: "DEADLINE_EXCEEDED" });
  // Whoever finds it like this closes it first.
  await instance.cutOff(uuid, { patience: 0 }, signal);
  expect(await intruder).toBe("PROTOCOL_CONNECTION_LOST");
  await instance.requireAcknowledgements(uuid, 0, signal);
  await instance.makeEmpty(uuid, signal);
  expect(await (await connect()).query("SHOW DATABASES LIKE 'other'")).toEqual([]);
  expect((await instance.observe(signal)).executed.isEmpty).toBe(true);
});
