import { appendFile, readFile, stat } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { startMysqld, type Mysqld, type MysqldOptions } from "@moco-ts/mysql/testing";
import { startAgent, type TestAgent } from "./testing/agent.ts";

let mysqld: Mysqld;

async function fresh(options: MysqldOptions = {}): Promise<Mysqld> {
  const started = await startMysqld(options);
  onTestFinished(() => started.dispose());
  return started;
}

async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await delay(20);
}

const prepared = (agent: TestAgent): Promise<void> => until(async () => (await agent.probe("/healthz")).status === 200);
/** Only then nothing is changed any more: its own user can log in before. */
const initialized = (agent: TestAgent): Promise<void> =>
  until(() => agent.lines.some((line) => line.includes("the instance has its users and plugins")));

describe("first start", () => {
  beforeEach(async () => {
    mysqld = await fresh();
  });

  test("makes users and plugins, and leaves no trace in the binary log and no way in without a password", async () => {
    const agent = await startAgent(mysqld);
    await prepared(agent);
    await initialized(agent);
    await expect(mysqld.connect()).rejects.toMatchObject({ code: "ER_ACCESS_DENIED_ERROR" });
    const admin = await mysqld.connect("moco-admin", "moco-admin");
    const [row] = await admin.query(
      `SELECT @@gtid_executed AS executed, @@read_only AS readOnly, @@super_read_only AS superReadOnly,
         @@partial_revokes AS partialRevokes, (SELECT COUNT(*) FROM mysql.user WHERE user = 'root') AS roots`,
    );
    expect(row).toEqual({ executed: "", readOnly: 1, superReadOnly: 1, partialRevokes: 1, roots: 0 });
    const events = await admin.query<{ Event_type: string }>("SHOW BINLOG EVENTS");
    expect(events.map((event) => event.Event_type)).toEqual(["Format_desc", "Previous_gtids"]);
    // The passwords are in no log line.
    expect(agent.lines.join("")).not.toContain('"moco-agent"');
  });

  test("lets the operator in only when the binary log begins anew, and keeps its hands off until all is done", async () => {
    const root = await mysqld.connect();
    await root.query("SET GLOBAL general_log = ON");
    await root.query("SET GLOBAL general_log_file = '/tmp/general.log'");
    await initialized(await startAgent(mysqld));
    const log = await readFile(`${mysqld.volumes.tmp}/general.log`, "utf8");
    const places = [/GET_LOCK\('moco-opening'/, /RESET (BINARY LOGS|MASTER)/, /CREATE USER.*moco-admin/].map((each) =>
      log.search(each),
    );
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    const admin = await mysqld.connect("moco-admin", "moco-admin");
    await until(async () => {
      const [row] = await admin.query<{ holder: number | null }>("SELECT IS_USED_LOCK('moco-opening') AS holder");
      return row!.holder === null;
    });
  });

  test("starts over after a crash at any statement, and never lets users write", async () => {
    const root = await mysqld.connect();
    await root.query("SET GLOBAL general_log = ON");
    await root.query("SET GLOBAL general_log_file = '/tmp/general.log'");
    // An agent that ends in the middle, again and again, each time a little later.
    for (let milliseconds = 5; milliseconds < 60; milliseconds += 11) {
      const agent = await startAgent(mysqld);
      await delay(milliseconds);
      await agent.stop();
    }
    await prepared(await startAgent(mysqld));
    await until(async () =>
      mysqld.connect().then(
        () => false,
        () => true,
      ),
    );
    const admin = await mysqld.connect("moco-admin", "moco-admin");
    await until(async () => {
      const [row] = await admin.query<{ closed: number }>("SELECT @@super_read_only AS closed");
      return row!.closed === 1;
    });
    const [row] = await admin.query("SELECT @@gtid_executed AS executed, @@read_only AS readOnly");
    expect(row).toEqual({ executed: "", readOnly: 1 });
    expect(await readFile(`${mysqld.volumes.tmp}/general.log`, "utf8")).not.toMatch(/SET GLOBAL read_only\s*=\s*OFF/i);
  });

  test("an instance with data, whose root has no password, keeps its history", async () => {
    const root = await mysqld.connect();
    await root.query("SET GLOBAL read_only = OFF");
    await root.query("CREATE DATABASE precious");
    const agent = await startAgent(mysqld);
    await until(() => agent.lines.some((line) => line.includes("there are data: the instance is left as it is")));
    const [row] = await root.query<{ executed: string }>("SELECT @@gtid_executed AS executed");
    expect(row!.executed).toMatch(/:1$/);
  });
});

describe("probes", () => {
  beforeEach(async () => {
    mysqld = await fresh();
  });

  test("tell apart instances that may be written, replicas and neither", async () => {
    const agent = await startAgent(mysqld);
    await initialized(agent);
    const neither = await agent.probe("/readyz");
    expect(neither).toEqual({ status: 500, text: "the instance is read-only, but no replica" });
    const admin = await mysqld.connect("moco-admin", "moco-admin");
    await admin.query("SET GLOBAL read_only = OFF");
    expect((await agent.probe("/readyz")).status).toBe(200);
    expect(await agent.metric("moco_instance_replication_delay_seconds")).toBeUndefined();
  });

  test("answer in time while mysqld hangs, and go on when it does", async () => {
    const agent = await startAgent(mysqld);
    await prepared(agent);
    await mysqld.freeze();
    const start = performance.now();
    const answers = await Promise.all([agent.probe("/healthz"), agent.probe("/readyz"), agent.probe("/healthz")]);
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
    // The limit is 0.8 s, in time for the kubelet's second. This machine may be busy.
    expect(performance.now() - start).toBeLessThan(5_000);
    // New connections hang too.
    expect((await agent.probe("/healthz")).text).toContain("failed to execute a query");
    mysqld.signal("SIGCONT");
    await prepared(agent);
  });

  test("see a mysqld that was killed and one that came back", async () => {
    const agent = await startAgent(mysqld);
    await prepared(agent);
    await mysqld.kill();
    expect((await agent.probe("/healthz")).status).toBe(503);
    await mysqld.start();
    await prepared(agent);
  });
});

describe("the slow query log", () => {
  test("is rotated by size and by schedule, and mysqld writes a new one", async () => {
    mysqld = await fresh({ options: { long_query_time: "0" } });
    const agent = await startAgent(mysqld, "--log-rotation-size=2000", "--log-rotation-schedule=@every 1s");
    await prepared(agent);
    await until(async () => ((await agent.metric("moco_instance_log_rotation_count")) ?? 0) >= 2);
    expect(await agent.metric("moco_instance_log_rotation_failure_count")).toBe(0);
    expect((await stat(`${mysqld.slowLog}.0`)).size).toBeGreaterThan(0);
    const marker = `SELECT 'marker ${Date.now()}'`;
    const admin = await mysqld.connect("moco-admin", "moco-admin");
    await admin.query(marker);
    await until(async () => {
      const logs = await Promise.all(
        [mysqld.slowLog, `${mysqld.slowLog}.0`].map((file) => readFile(file, "utf8").catch(() => "")),
      );
      return logs.some((text) => text.includes(marker));
    });
  });

  test("that can't be flushed is counted as a failure, and rotated when mysqld is back", async () => {
    mysqld = await fresh();
    const agent = await startAgent(mysqld, "--log-rotation-size=2000", "--read-timeout=300ms");
    await prepared(agent);
    await mysqld.kill();
    await appendFile(mysqld.slowLog, "x".repeat(2000));
    await until(async () => ((await agent.metric("moco_instance_log_rotation_failure_count")) ?? 0) >= 1);
    expect(await readFile(`${mysqld.slowLog}.0`, "utf8")).toContain("x".repeat(2000));
    await mysqld.start();
    await prepared(agent);
    const failures = await agent.metric("moco_instance_log_rotation_failure_count");
    await appendFile(mysqld.slowLog, "y".repeat(2000));
    await until(async () => (await readFile(`${mysqld.slowLog}.0`, "utf8")).includes("y".repeat(2000)));
    expect(await agent.metric("moco_instance_log_rotation_failure_count")).toBe(failures);
  });
});
