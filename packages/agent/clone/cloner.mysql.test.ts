import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { startMysqld, type Mysqld, type MysqldOptions } from "@moco-ts/mysql/testing";
import { startAgent, type TestAgent } from "../testing/agent.ts";
import { agentClient } from "../testing/client.ts";
import { startInstance } from "../testing/semi-sync.ts";

const programs = `${import.meta.dirname}/..`;

/** As a Pod of version 2 runs it, and one of version 1, where only the kubelet starts mysqld again. */
const kinds = {
  "version 2": { command: ["/moco/moco-mysqld", "mysqld"], volumes: { "/moco": programs } },
  "version 1": { restart: true },
} satisfies Record<string, MysqldOptions>;

async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await delay(50);
}

/** An instance that was just prepared by its agent. */
async function recipient(options: MysqldOptions = {}): Promise<{ mysqld: Mysqld; agent: TestAgent }> {
  const mysqld = await startMysqld(options);
  onTestFinished(() => mysqld.dispose());
  const agent = await startAgent(mysqld);
  await until(() => agent.lines.some((line) => line.includes("the instance has its users and plugins")));
  return { mysqld, agent };
}

/** An instance with a row to clone, and what to ask for. */
async function donor() {
  const instance = await startInstance();
  await instance.admin.query("SET GLOBAL read_only = OFF");
  await instance.admin.query("CREATE DATABASE test");
  await instance.admin.query("CREATE TABLE test.t (id INT PRIMARY KEY)");
  await instance.admin.query("INSERT INTO test.t VALUES (42)");
  // A cluster of its own, with other passwords, and somebody who may make users.
  await instance.admin.query("ALTER USER 'moco-agent'@'%' IDENTIFIED BY 'another'");
  await instance.admin.query("CREATE USER 'init'@'localhost' IDENTIFIED BY 'init-password'");
  await instance.admin.query("GRANT ALL ON *.* TO 'init'@'localhost' WITH GRANT OPTION");
  await instance.admin.query("GRANT PROXY ON ''@'' TO 'init'@'localhost' WITH GRANT OPTION");
  const [row] = await instance.admin.query<{ executed: string }>("SELECT @@gtid_executed AS executed");
  const request = {
    host: "127.0.0.1",
    port: instance.mysqld.adminPort,
    user: "moco-clone-donor",
    password: "moco-clone-donor",
    init_user: "init",
    init_password: "init-password",
    boot_timeout: { seconds: 40 },
  };
  return { ...instance, request, executed: row!.executed };
}

async function serverUuid(mysqld: Mysqld): Promise<string> {
  const admin = await mysqld.connect("moco-admin", "moco-admin");
  const [row] = await admin.query<{ uuid: string }>("SELECT @@server_uuid AS uuid");
  await admin.close();
  return row!.uuid;
}

describe.each(Object.entries(kinds))("a clone into a Pod of %s", (kind, options) => {
  test("brings the donor's data, our users and passwords, and an instance that nobody can write", async () => {
    const source = await donor();
    const { mysqld, agent } = await recipient(options);
    const call = await agentClient(agent.ports.grpc, agent.certificates);
    const before = await serverUuid(mysqld);
    const during = agent.metric("moco_instance_clone_in_progress");
    const cloning = call(source.request);
    expect(await during).toBe(0);
    await until(async () => (await agent.metric("moco_instance_clone_in_progress")) === 1);
    expect(await call(source.request)).toEqual({ code: 8, details: "another request is undergoing" });
    expect(await cloning).toBeUndefined();
    const admin = await mysqld.connect("moco-agent", "moco-agent");
    const [row] = await admin.query(
      "SELECT id, @@gtid_executed AS executed, @@read_only AS readOnly, @@super_read_only AS superReadOnly FROM test.t",
    );
    expect(row).toEqual({ id: 42, executed: source.executed, readOnly: 1, superReadOnly: 1 });
    // Its own transactions are gone, and their GTIDs must not be given again: only process 1 can see to that.
    expect((await serverUuid(mysqld)) === before).toBe(kind === "version 1");
    expect(await agent.metric("moco_instance_clone_count")).toBe(1);
    expect(await agent.metric("moco_instance_clone_failure_count")).toBe(0);
    expect(await agent.metric("moco_instance_clone_in_progress")).toBe(0);
    expect((await agent.probe("/healthz")).status).toBe(200);
    // Once is enough.
    expect(await call(source.request)).toEqual({
      code: 9,
      details: `recipient is not empty: gtid=${source.executed}`,
    });
  });
});

test("a clone of a replica is no replica itself", async () => {
  const [outside, source] = [await donor(), await donor()];
  const { admin } = source;
  await admin.query(
    `CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = ${outside.mysqld.port},
      SOURCE_USER = 'moco-repl', SOURCE_PASSWORD = 'moco-repl', SOURCE_AUTO_POSITION = 1, GET_SOURCE_PUBLIC_KEY = 1`,
  );
  await admin.query("START REPLICA IO_THREAD");
  const retrieved = async () => (await admin.query("SHOW REPLICA STATUS"))[0]!["Retrieved_Gtid_Set"] !== "";
  await until(retrieved);
  const { mysqld, agent } = await recipient(kinds["version 2"]);
  const call = await agentClient(agent.ports.grpc, agent.certificates);
  expect(await call(source.request)).toBeUndefined();
  const recipientAdmin = await mysqld.connect("moco-admin", "moco-admin");
  expect(await recipientAdmin.query("SHOW REPLICA STATUS")).toEqual([]);
  expect(await recipientAdmin.query("SELECT id FROM test.t")).toEqual([{ id: 42 }]);
});

describe("a clone that fails", () => {
  test("says why, without passwords, and can be tried again", async () => {
    const source = await donor();
    const { agent, mysqld } = await recipient(kinds["version 2"]);
    const call = await agentClient(agent.ports.grpc, agent.certificates);
    const failure = await call({ ...source.request, password: "swordfish" });
    expect(failure).toMatchObject({ code: 13, details: expect.stringContaining("Access denied") as string });
    expect(failure!.details + agent.lines.join("")).not.toContain("swordfish");
    expect(await agent.metric("moco_instance_clone_failure_count")).toBe(1);
    expect((await agent.probe("/readyz")).status).not.toBe(200);
    expect(await call(source.request)).toBeUndefined();
    const admin = await mysqld.connect("moco-admin", "moco-admin");
    expect(await admin.query("SELECT id FROM test.t")).toEqual([{ id: 42 }]);
  });

  test("by a boot that takes too long ends at its deadline", async () => {
    const source = await donor();
    const { agent } = await recipient();
    const call = await agentClient(agent.ports.grpc, agent.certificates);
    // Nobody starts this mysqld again.
    const failure = await call({ ...source.request, boot_timeout: { seconds: 0, nanos: 700_000_000 } });
    expect(failure).toMatchObject({ code: 13, details: "mysqld's start after the clone took longer than 700 ms" });
  });
});
