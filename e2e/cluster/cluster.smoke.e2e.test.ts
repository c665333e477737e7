import { afterAll, beforeAll, expect, test } from "vitest";
import {
  manifest,
  mysqldContainer,
  patience,
  startedPods,
  startOperatorCluster,
  systemNamespace,
  type OperatorCluster,
} from "../testing/index.ts";

let cluster: OperatorCluster;

beforeAll(async () => {
  cluster = await startOperatorCluster({ name: "cluster" });
});

afterAll(() => cluster?.down());

test("a MySQLCluster of three becomes running mysqld and agents", async () => {
  await cluster.apply(manifest({ name: "three", replicas: 3 }));
  await expect.poll(() => startedPods(cluster, "three"), patience).toBe(3);
  // A new instance answers before it has all of its users; it is read-only once more when it has.
  const settings = "SELECT @@server_id, @@super_read_only, @@gtid_executed = ''";
  await expect.poll(() => cluster.query("moco-three-1", settings), patience).toBe("101\t1\t1");
  const users = "SELECT user FROM mysql.user WHERE user LIKE 'moco-%' ORDER BY user";
  expect((await cluster.query("moco-three-1", users)).split("\n")).toEqual([
    "moco-admin",
    "moco-agent",
    "moco-backup",
    "moco-clone-donor",
    "moco-exporter",
    "moco-readonly",
    "moco-repl",
    "moco-writable",
  ]);
});

test("a manifest that is wrong is refused with a text that says what to do", async () => {
  const even = manifest({ name: "even", replicas: 2 });
  await expect(cluster.apply(even)).rejects.toThrow(/replicas must be a positive odd number/);
  const container = { ...mysqldContainer(), imagePullPolice: "Never" };
  const misspelt = manifest({ name: "misspelt", spec: { podTemplate: { spec: { containers: [container] } } } });
  await expect(cluster.apply(misspelt)).rejects.toThrow(/unknown field.*imagePullPolice/);
});

test("deleting a cluster leaves nothing of it", async () => {
  await cluster.kubectl("delete", "mysqlcluster", "three", "--timeout=60s");
  const left = () =>
    cluster.kubectl("get", "all,pvc,secrets,configmaps", "-l", "app.kubernetes.io/instance=three", "-o", "name");
  await expect.poll(left, patience).toBe("");
  expect(await cluster.kubectl("get", "secrets", "-n", systemNamespace, "-o", "name")).not.toContain("three");
});

test("the rights that the controller has are all that it needs", async () => {
  const logs = await cluster.controllerLogs();
  expect(logs).toMatch(/became leader/);
  expect(logs.split("\n").filter((line) => /forbidden|nobody caught/i.test(line))).toEqual([]);
});
