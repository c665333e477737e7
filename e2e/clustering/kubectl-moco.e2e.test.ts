import type { ClusterView, InstanceView } from "@moco-ts/view";
import { afterAll, beforeAll, expect, test } from "vitest";
import { manifest, Plugin, startOperatorCluster, waitForCondition, type OperatorCluster } from "../testing/index.ts";

const patience = { timeout: 120_000, interval: 1_000 };
let operator: OperatorCluster;
let plugin: Plugin;

beforeAll(async () => {
  operator = await startOperatorCluster({ name: "kubectl-moco" });
  plugin = await Plugin.install(operator);
  await operator.apply(manifest({ name: "test", replicas: 3 }));
  await waitForCondition(operator, "test", "Healthy");
});
afterAll(() => operator?.down());

async function view(): Promise<ClusterView> {
  const { code, output, errors } = await plugin.run(["status", "test", "-o", "json"]);
  if (code !== 0) throw new Error(errors);
  return JSON.parse(output) as ClusterView;
}

async function column<K extends keyof InstanceView>(name: K): Promise<InstanceView[K][]> {
  return (await view()).instances!.map((instance) => instance[name]);
}

test("status shows a healthy cluster", async () => {
  const { code, output } = await plugin.run(["status", "test"]);
  expect(code).toBe(0);
  expect(output).toContain("MySQLCluster default/test  Healthy\n");
  expect(output).toContain("3 of 3 instances are Ready, the primary is 0, acknowledgements 1 of 3 voters\n");
  expect(output).toMatch(/ {2}0 +moco-test-0 +primary +Ready +yes +- +- +9\.7\S* +\d+ +\S+ +node-1\n/);
  expect(output).toMatch(/ {2}1 +moco-test-1 +replica +Ready +no +0 +0s +9\.7/);
  expect(output).toMatch(/ {2}mysql-data-moco-test-2 +Bound +(\S+) +\1 +local-xfs\n/);
  expect((await view()).findings).toEqual([]);
});

test("mysql runs statements, gives back all that they print, and their exit code", async () => {
  const admin = ["mysql", "-u", "moco-admin"];
  expect(await plugin.run([...admin, "test", "--", "-BNe", "SELECT @@hostname, CURRENT_USER()"])).toEqual({
    code: 0,
    output: "moco-test-0\tmoco-admin@%\n",
    errors: "",
  });
  expect((await plugin.run(["mysql", "test", "--index", "2", "--", "-BNe", "SELECT @@hostname"])).output).toBe(
    "moco-test-2\n",
  );
  const large = await plugin.run([...admin, "test", "--", "-BNe", "SELECT REPEAT('0123456789', 1000000)"]);
  expect(large.output).toHaveLength(10_000_001);
  const failed = await plugin.run(["mysql", "test", "--", "-e", "nonsense"]);
  expect(failed).toMatchObject({ code: 1, output: "" });
  expect(failed.errors).toMatch(/You have an error in your SQL syntax[^]*command terminated with exit code 1/);
});

test("mysql takes statements from its input, to the end of it", async () => {
  const values = Array.from({ length: 20_000 }, (_, index) => `(${index}, '${"x".repeat(50)}')`);
  const sql = [
    "CREATE DATABASE shop;",
    "CREATE TABLE shop.item (id INT PRIMARY KEY, text VARCHAR(50));",
    ...Array.from(
      { length: 20 },
      (_, part) => `INSERT INTO shop.item VALUES ${values.slice(part * 1000, part * 1000 + 1000).join()};`,
    ),
    "COMMIT;",
    "SELECT COUNT(*) FROM shop.item;",
  ].join("\n");
  const { code, output, errors } = await plugin.run(["mysql", "-i", "-u", "moco-writable", "test", "--", "-BN"], sql);
  expect({ code, output, errors }).toEqual({ code: 0, output: "20000\n", errors: "" });
});

test("mysql on a terminal is a session", async () => {
  const { code, output } = await plugin.runOnTerminal(["mysql", "-it", "test"], "SELECT 6 * 7 AS answer;\nexit\n");
  expect(code).toBe(0);
  expect(output).toMatch(/mysql> [^]*\| +42 \|[^]*Bye/);
});

test("credential gives a password that mysqld takes", async () => {
  const { output } = await plugin.run(["credential", "-u", "moco-writable", "test"]);
  const login = [
    "mysql",
    "-h",
    "moco-test-primary",
    "-umoco-writable",
    `-p${output.trim()}`,
    "-BNe",
    "SELECT @@read_only",
  ];
  expect(await operator.exec("moco-test-1", "mysqld", ...login)).toContain("0");
});

test("switchover --to --wait makes that instance the primary", async () => {
  const { code, output, errors } = await plugin.run(["switchover", "test", "--to", "2", "--wait"]);
  expect({ code, errors }).toEqual({ code: 0, errors: "" });
  expect(output).toMatch(/to hand over to instance 2\n[^]*instance 2 is the primary \(.*s\)\n$/);
  expect((await view()).primary).toBe(2);
  await waitForCondition(operator, "test", "Healthy");
  expect((await plugin.run(["switchover", "test", "--to", "2"])).errors).toContain("is the primary already");
});

test("status -w follows a switchover, and ends by Ctrl-C", async () => {
  const watching = plugin.start(["status", "test", "-w", "-o", "json"]);
  const last = () => JSON.parse(watching.output().trimEnd().split("\n").at(-1) || "{}") as Partial<ClusterView>;
  await expect.poll(() => last().primary, patience).toBe(2);
  await plugin.run(["switchover", "test", "--to", "0"]);
  await expect.poll(() => last().primary, patience).toBe(0);
  await expect.poll(() => last().instances?.map(({ gap }) => gap), patience).toEqual([undefined, 0, 0]);
  await expect.poll(() => last().state, patience).toBe("Healthy");
  watching.child.kill("SIGINT");
  expect(await watching.ended).toMatchObject({ code: 0, errors: "" });
});

test("status tells of a mysqld that is frozen, within its deadline", async () => {
  const target = { namespace: "default", name: "moco-test-1", container: "mysqld", process: "mysqld" };
  await operator.local.faults.freeze(target);
  const started = Date.now();
  const [, frozen] = await column("mysqld");
  expect(Date.now() - started).toBeLessThan(30_000);
  expect(frozen).toMatchObject({ answered: false, reason: expect.stringContaining("took longer than 5000 ms") });
  await operator.local.faults.thaw(target);
  await waitForCondition(operator, "test", "Healthy");
});

test("a write on a replica shows up as errant, and reclone brings it back", async () => {
  const write =
    "SET GLOBAL super_read_only = OFF; SET GLOBAL read_only = OFF; CREATE DATABASE mine; SET GLOBAL super_read_only = ON";
  await operator.query("moco-test-1", write);
  await expect.poll(() => column("isErrant"), patience).toEqual([false, true, false]);
  expect((await column("errant"))[1]).toMatchObject({ transactions: 1 });
  const { output } = await plugin.run(["status", "test"]);
  expect(output).toMatch(
    /✗ instance 1: has 1 transactions that the primary does not have: \S+\n.*kubectl moco reclone moco-test-1/,
  );

  expect(await plugin.run(["reclone", "moco-test-0", "--yes"])).toMatchObject({ code: 1 });
  expect((await plugin.run(["reclone", "moco-test-1", "--yes"])).code).toBe(0);
  await expect.poll(() => column("isErrant"), patience).toEqual([false, false, false]);
  await waitForCondition(operator, "test", "Healthy");
  await expect.poll(() => column("gap"), patience).toEqual([undefined, 0, 0]);
  expect(await operator.query("moco-test-1", "SHOW DATABASES LIKE 'mine'")).toBe("");
});

test("what is stopped and offline is shown as such", async () => {
  expect((await plugin.run(["stop", "clustering", "test"])).output).toBe(
    'stopped clustering of MySQLCluster "default/test"\n',
  );
  expect((await plugin.run(["status", "test"])).output).toContain("! Clustering is stopped");
  expect((await plugin.run(["start", "clustering", "test"])).code).toBe(0);
  await waitForCondition(operator, "test", "Healthy");

  await operator.kubectl("patch", "mysqlcluster", "test", "--type=merge", "-p", '{"spec":{"offline":true}}');
  await expect
    .poll(async () => (await plugin.run(["status", "test"])).output, patience)
    .toContain("default/test  Offline");
  expect(await plugin.run(["mysql", "test"])).toMatchObject({ code: 1, errors: expect.stringContaining("is offline") });
  expect((await plugin.run(["switchover", "test"])).errors).toBe("error: offline cluster is not able to switch\n");
});
