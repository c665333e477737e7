import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Connection } from "@moco-ts/mysql";
import { freeze, startMysqld } from "@moco-ts/mysql/testing";
import { passwords, replicate, startInstance, type Instance } from "./testing/semi-sync.ts";

const asUser = (instance: Instance): Promise<Connection> =>
  instance.mysqld.connect("moco-writable", passwords["moco-writable"]);

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(20);
}

/** How a statement ends for its client. */
function outcome(connection: Connection, statement: string): Promise<"OK" | "error"> {
  return connection.query(statement, [], { timeout: Infinity }).then(
    () => "OK" as const,
    () => "error" as const,
  );
}

const waits = "SELECT COUNT(*) AS n FROM performance_schema.processlist WHERE STATE LIKE 'Waiting for semi-sync ACK%'";

/** A primary on which a commit waits for an acknowledgement that can't come. */
async function waitingPrimary(command?: readonly string[]) {
  const [primary, replica] = [await startInstance(command), await startInstance()];
  await replicate(primary, replica);
  await replica.admin.query("STOP REPLICA IO_THREAD");
  const session = await asUser(primary);
  const answer = outcome(session, "INSERT INTO test.t VALUES (1)");
  await until(async () => (await primary.admin.query<{ n: number }>(waits))[0]!.n === 1);
  return { primary, replica, session, answer };
}

describe("a commit that waits for an acknowledgement when the container is ended", () => {
  test("mysqld alone answers OK, though no replica has it: that is what this program is for", async () => {
    const { primary, answer } = await waitingPrimary(["mysqld"]);
    primary.mysqld.signal("SIGTERM");
    expect(await answer).toBe("OK");
  });

  test("is never answered with OK", async () => {
    const { primary, answer } = await waitingPrimary();
    // Two more, of which one comes while the instance is being closed.
    const [second, third] = [await asUser(primary), await asUser(primary)];
    const more = [outcome(second, "INSERT INTO test.t VALUES (2)")];
    primary.mysqld.signal("SIGTERM");
    await delay(50);
    more.push(outcome(third, "INSERT INTO test.t VALUES (3)"));
    expect(await Promise.all([answer, ...more])).toEqual(["error", "error", "error"]);
    expect(await primary.mysqld.ended).toMatchObject({ code: 0 });
    expect(primary.mysqld.log()).toContain("moco-mysqld: clients are cut off: ending mysqld");
  });

  test("ends by the real acknowledgement if that comes while clients are cut off", async () => {
    const [primary, replica] = [await startInstance(), await startInstance()];
    await replicate(primary, replica);
    const [, frozen] = await replica.mysqld.processes();
    await freeze(frozen!);
    const answer = outcome(await asUser(primary), "INSERT INTO test.t VALUES (1)");
    await until(async () => (await primary.admin.query<{ n: number }>(waits))[0]!.n === 1);
    primary.mysqld.signal("SIGTERM");
    await until(async () =>
      primary.admin.query("SELECT 1 FROM DUAL WHERE @@super_read_only = 1").then((rows) => rows.length === 1),
    );
    process.kill(frozen!, "SIGCONT");
    expect(await answer).toBe("OK");
    await primary.mysqld.ended;
    await until(async () => (await replica.admin.query("SELECT id FROM test.t")).length === 1);
  });
});

describe("an instance that is ending is never opened again", () => {
  const tries = "SELECT GET_LOCK('moco-opening', 0) AS taken, IS_USED_LOCK('moco-opening') AS holder";

  test("the operator can't get the lock that it needs for that, and sees why", async () => {
    const [primary, replica] = [await startInstance(), await startInstance()];
    await replicate(primary, replica);
    // A replica that hangs: the commit waits, and with it the end.
    const [, frozen] = await replica.mysqld.processes();
    await freeze(frozen!);
    const answer = outcome(await asUser(primary), "INSERT INTO test.t VALUES (1)");
    await until(async () => (await primary.admin.query<{ n: number }>(waits))[0]!.n === 1);
    expect(await primary.admin.query(tries)).toMatchObject([{ taken: 1 }]);
    await primary.admin.query("DO RELEASE_LOCK('moco-opening')");

    primary.mysqld.signal("SIGTERM");
    await until(async () => (await primary.admin.query("SELECT 1 FROM DUAL WHERE @@super_read_only = 1")).length === 1);
    const [{ taken, holder }] = (await primary.admin.query(tries)) as [{ taken: number; holder: number }];
    expect(taken).toBe(0);
    const [{ id }] = (await primary.admin.query("SELECT CONNECTION_ID() AS id")) as [{ id: number }];
    expect(holder).toBeGreaterThan(0);
    expect(holder).not.toBe(id);
    process.kill(frozen!, "SIGCONT");
    expect(await answer).toBe("OK");
    expect((await primary.mysqld.ended).code).toBe(0);
  });

  test("not even by an operator that was opening it and hangs: it loses its session, and a commit gets no OK", async () => {
    const { primary, answer } = await waitingPrimary();
    const operator = await primary.mysqld.connect("moco-admin", "moco-admin");
    expect(await operator.query(tries)).toMatchObject([{ taken: 1 }]);
    primary.mysqld.signal("SIGTERM");
    // Other sessions of the operator go on trying until they are cut off.
    const opened: unknown[] = [];
    const open = async (): Promise<void> => {
      for (;;) {
        const session = await primary.mysqld.connect("moco-admin", "moco-admin");
        const [{ taken }] = (await session.query(tries)) as [{ taken: number }];
        if (taken === 1) opened.push(await session.query("SET GLOBAL read_only = OFF"));
        await session.close();
      }
    };
    // It ends when mysqld does.
    await open().catch(() => undefined);
    expect(opened).toEqual([]);
    expect(await answer).toBe("error");
    expect(await outcome(operator, "SET GLOBAL read_only = OFF")).toBe("error");
    expect((await primary.mysqld.ended).code).toBe(0);
    expect(primary.mysqld.log()).toContain("clients are cut off: ending mysqld");
  });
});

test("of many writers, none is told OK for what the replica lacks, and mysqld ends by itself", async () => {
  const [primary, replica] = [await startInstance(), await startInstance()];
  await replicate(primary, replica);
  const acknowledged: number[] = [];
  const write = async (writer: number): Promise<void> => {
    const session = await asUser(primary);
    for (let number = writer; ; number += 8) {
      if ((await outcome(session, `INSERT INTO test.t VALUES (${number})`)) === "error") return;
      acknowledged.push(number);
    }
  };
  const writers = Promise.all(Array.from({ length: 8 }, (_, index) => write(index + 1)));
  await until(async () => acknowledged.length > 200);
  primary.mysqld.signal("SIGTERM");
  await writers;
  expect((await primary.mysqld.ended).code).toBe(0);
  await until(async () => {
    const [status] = await replica.admin.query<{ done: number }>(
      "SELECT GTID_SUBSET(RECEIVED_TRANSACTION_SET, @@gtid_executed) AS done FROM performance_schema.replication_connection_status",
    );
    return status!.done === 1;
  });
  const there = new Set((await replica.admin.query<{ id: number }>("SELECT id FROM test.t")).map(({ id }) => id));
  expect(acknowledged.filter((id) => !there.has(id))).toEqual([]);
});

test("a mysqld that hangs is killed at the deadline", async () => {
  const instance = await startInstance(["env", "MOCO_MYSQLD_DEADLINE=1", "/moco/moco-mysqld", "mysqld"]);
  const [, mysqld] = await instance.mysqld.processes();
  await freeze(mysqld!);
  instance.mysqld.signal("SIGTERM");
  expect((await instance.mysqld.ended).code).toBe(128 + 9);
  expect(instance.mysqld.log()).toContain("could not be cut off in time: killing mysqld");
});

test("RESTART starts mysqld again, under the same process 1", async () => {
  const { mysqld, admin } = await startInstance();
  const [first, before] = await mysqld.processes();
  await outcome(admin, "RESTART");
  await until(async () => mysqld.log().includes("mysqld asked to be started again"));
  await mysqld.ready({ user: "moco-admin", password: "moco-admin" });
  const [same, after] = await mysqld.processes();
  expect(same).toBe(first);
  expect(after).not.toBe(before);
});

test("what a killed container left behind does not keep the next one from starting", async () => {
  const { mysqld } = await startInstance();
  await mysqld.kill();
  expect(await readFile(`${mysqld.socketPath}.lock`, "utf8")).toMatch(/^\d+/);
  await mysqld.start();
  await mysqld.ready({ user: "moco-admin", password: "moco-admin" });
});

test("mysqld's own end is the container's", async () => {
  const { mysqld, admin } = await startInstance();
  await outcome(admin, "SHUTDOWN");
  expect((await mysqld.ended).code).toBe(0);
});

test("options before --defaults-file, where users' arguments are, don't keep mysqld from starting", async () => {
  const { admin } = await startInstance([
    "/moco/moco-mysqld",
    "mysqld",
    "--long-query-time=77",
    "--max-connections=33",
  ]);
  const [row] = await admin.query("SELECT @@long_query_time AS seconds, @@max_connections AS connections");
  expect(row).toEqual({ seconds: 77, connections: 33 });
});

test("an option that mysqld does not know is named where kubectl describe shows it", async () => {
  const { mysqld } = await startInstance();
  await mysqld.kill();
  await appendFile(join(mysqld.volumes.configuration, "my.cnf"), "no_such_option = 1\n");
  await mysqld.start();
  const { code, message } = await mysqld.ended;
  expect(code).toBe(1);
  expect(message).toContain("unknown variable 'no_such_option=1'");
});

test("a Pod that ends before its users exist ends at once", async () => {
  const mysqld = await startMysqld({
    command: ["/moco/moco-mysqld", "mysqld"],
    volumes: { "/moco": import.meta.dirname },
  });
  onTestFinished(() => mysqld.dispose());
  mysqld.signal("SIGTERM");
  expect((await mysqld.ended).code).toBe(0);
  expect(mysqld.log()).toContain("clients are cut off: ending mysqld");
});
