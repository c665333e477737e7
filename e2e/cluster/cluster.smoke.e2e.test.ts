import { afterAll, beforeAll, expect, test } from "vitest";
import { down, up, type Cluster } from "@moco-ts/local-kubernetes";
import { apply, images, installOperator, systemNamespace } from "./install.ts";

const name = "cluster";
const patience = { timeout: 120_000, interval: 500 };
let cluster: Cluster;

beforeAll(async () => {
  cluster = await up({ name });
  await installOperator(cluster);
});

afterAll(() => down(name));

test("a MySQLCluster becomes running mysqld and agents", async () => {
  await apply(cluster, [mysqlCluster("three", 3)]);
  await expect.poll(() => startedPods("three"), patience).toBe(3);
  const users = await query("moco-three-0", "SELECT user FROM mysql.user WHERE user LIKE 'moco-%' ORDER BY user");
  expect(users.split("\n")).toEqual([
    "moco-admin",
    "moco-agent",
    "moco-backup",
    "moco-clone-donor",
    "moco-exporter",
    "moco-readonly",
    "moco-repl",
    "moco-writable",
  ]);
  expect(await query("moco-three-1", "SELECT @@server_id, @@super_read_only, @@gtid_executed = ''")).toBe("101\t1\t1");
});

test("a manifest that is wrong is refused with a text that says what to do", async () => {
  await expect(apply(cluster, [mysqlCluster("even", 2)])).rejects.toThrow(/replicas must be a positive odd number/);
});

test("deleting a cluster leaves nothing of it", async () => {
  await kubectl("delete", "mysqlcluster", "three", "--timeout=60s");
  const left = () =>
    kubectl("get", "all,pvc,secrets,configmaps", "-l", "app.kubernetes.io/instance=three", "-o", "name");
  await expect.poll(left, patience).toBe("");
  expect(await kubectl("get", "secrets", "-n", systemNamespace, "-o", "name")).not.toContain("three");
});

test("the rights that the controller has are all that it needs", async () => {
  const logs = await kubectl("logs", "-n", systemNamespace, "-l", "app.kubernetes.io/name=moco", "--tail=-1");
  expect(logs).toMatch(/became leader/);
  expect(logs.split("\n").filter((line) => /forbidden|nobody caught/i.test(line))).toEqual([]);
});

function mysqlCluster(name: string, replicas: number): object {
  const resources = { requests: { storage: "1Gi" } };
  const containers = [{ name: "mysqld", image: images.mysql, imagePullPolicy: "Never" }];
  return {
    apiVersion: "moco.cybozu.com/v1beta2",
    kind: "MySQLCluster",
    metadata: { name, namespace: "default" },
    spec: {
      replicas,
      serverIDBase: 100,
      // No image of fluent-bit can be had where these tests run.
      disableSlowQueryLogContainer: true,
      podTemplate: { spec: { containers } },
      volumeClaimTemplates: [{ metadata: { name: "mysql-data" }, spec: { resources } }],
    },
  };
}

function kubectl(...args: string[]): Promise<string> {
  return cluster.kubectl(args).then((output) => output.trim());
}

/** Pods whose mysqld and agent have started: whether replicas are Ready is for clustering to say. */
async function startedPods(instance: string): Promise<number> {
  const path = "jsonpath={range .items[*]}{.status.containerStatuses[*].started}{'\\n'}{end}";
  const output = await kubectl("get", "pods", "-l", `app.kubernetes.io/instance=${instance}`, "-o", path);
  return output.split("\n").filter((line) => line === "true true").length;
}

function query(pod: string, sql: string): Promise<string> {
  const login = "--defaults-extra-file=/mysql-credentials/moco-admin-my.cnf";
  return kubectl("exec", pod, "-c", "mysqld", "--", "mysql", login, "--socket=/run/mysqld.sock", "-BN", "-e", sql);
}
