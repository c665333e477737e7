import type { MySQLCluster } from "@moco-ts/api";
import type { ConfigMap, Service, StatefulSet } from "@moco-ts/kube";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  manifest,
  patience,
  podsOf,
  startedPods,
  startOperatorCluster,
  type OperatorCluster,
} from "../testing/index.ts";

let cluster: OperatorCluster;

beforeAll(async () => {
  cluster = await startOperatorCluster({ name: "cluster-config" });
});

afterAll(() => cluster?.down());

test("a cluster of one replica comes up with all its sidecars", async () => {
  const collectors = ["engine_innodb_status", "info_schema.innodb_metrics"];
  await cluster.apply(
    userOptions({ long_query_time: "0.2" }),
    manifest({ name: "full", spec: { collectors, mysqlConfigMapName: "options" } }),
  );
  await expect.poll(() => startedPods(cluster, "full"), patience).toBe(1);
  const [pod] = await podsOf(cluster, "full");
  expect(pod?.spec?.containers.map(({ name }) => name)).toEqual(["mysqld", "agent", "slow-log", "mysqld-exporter"]);
});

test("slow queries reach the standard output of their own container", async () => {
  await expect.poll(() => cluster.query("moco-full-0", "SELECT SLEEP(0.5), 'marked'"), patience).toMatch(/marked/);
  const logs = () => cluster.kubectl("logs", "moco-full-0", "-c", "slow-log");
  await expect.poll(logs, patience).toMatch(/SELECT SLEEP\(0\.5\), 'marked'/);
});

test("the exporter answers at port 9104 with the metrics of the collectors that were asked for", async () => {
  const [pod] = await podsOf(cluster, "full");
  const scrape = async () => (await fetch(`http://${pod!.status!.podIP}:9104/metrics`)).text();
  await expect.poll(scrape, patience).toMatch(/^mysql_up 1$/m);
  const metrics = await scrape();
  expect(metrics).toMatch(/^mysql_info_schema_innodb_metrics_/m);
  expect(metrics).toMatch(/^mysql_engine_innodb_/m);
});

test("a changed ConfigMap of options makes a new my.cnf, and mysqld starts anew with it", async () => {
  const before = await statefulSet("full");
  const old = mountedOptions(before);
  await cluster.apply(userOptions({ long_query_time: "0.3" }));
  await expect.poll(async () => mountedOptions(await statefulSet("full")), patience).not.toBe(old);
  const after = await statefulSet("full");
  expect(after.metadata!.generation).toBeGreaterThan(before.metadata!.generation!);
  const { data } = await cluster.get<ConfigMap>("configmap", mountedOptions(after)!);
  expect(data!["my.cnf"]).toMatch(/^long_query_time = 0\.3$/m);
  // A Pod that still runs with the old one must be able to mount it.
  await cluster.kubectl("get", "configmap", old!);
  const inUse = () => cluster.query("moco-full-0", "SELECT @@GLOBAL.long_query_time");
  await expect.poll(inUse, patience).toBe("0.300000");
});

test("an option that mysqld does not know is named on the cluster, until it is taken out", async () => {
  const name = "wrong";
  await cluster.apply(
    userOptions({ no_such_option: "1" }, "wrong-options"),
    manifest({ name, spec: { mysqlConfigMapName: "wrong-options" } }),
  );
  const startable = async () => conditionOf(await cluster.get<MySQLCluster>("mysqlcluster", name));
  await expect.poll(startable, patience).toMatchObject({ status: "False", reason: "InstanceCannotStart" });
  expect((await startable())?.message).toMatch(/no_such_option.*correct ConfigMap wrong-options/);
  await cluster.apply(userOptions({}, "wrong-options"));
  await expect.poll(() => startedPods(cluster, name), patience).toBe(1);
  await expect.poll(startable, patience).toMatchObject({ status: "True" });
  await cluster.kubectl("delete", "mysqlcluster", name);
});

test("Services follow their templates, and keep what only the API server knows", async () => {
  const primaryServiceTemplate = {
    metadata: { annotations: { note: "first" }, labels: { team: "shop" } },
    spec: { type: "LoadBalancer", ports: [{ name: "backdoor", port: 4000, targetPort: 4000 }] },
  };
  const ports = [{ name: "mysql", port: 3306, nodePort: 30_306 }];
  const replicaServiceTemplate = { spec: { type: "NodePort", ports } };
  const wanted = { name: "served", spec: { primaryServiceTemplate, replicaServiceTemplate } };
  await cluster.apply(manifest(wanted));
  await expect.poll(() => service("moco-served-replica"), patience).toBeDefined();

  const primary = await service("moco-served-primary");
  expect(primary.metadata?.annotations).toMatchObject({ note: "first" });
  expect(primary.metadata?.labels).toMatchObject({ team: "shop", "app.kubernetes.io/created-by": "moco" });
  expect(primary.spec?.type).toBe("LoadBalancer");
  expect(primary.spec?.ports?.map(({ name, port }) => `${name} ${port}`).sort()).toEqual([
    "backdoor 4000",
    "mysql 3306",
    "mysqlx 33060",
  ]);
  const replica = await service("moco-served-replica");
  expect(replica.spec?.type).toBe("NodePort");
  expect(replica.spec?.ports?.find(({ name }) => name === "mysql")?.nodePort).toBe(30_306);

  primaryServiceTemplate.metadata.annotations.note = "second";
  await cluster.apply(manifest(wanted));
  const note = async () => (await service("moco-served-primary")).metadata?.annotations?.["note"];
  await expect.poll(note, patience).toBe("second");
  const { spec } = await service("moco-served-primary");
  expect(spec).toEqual(primary.spec);
  await cluster.kubectl("delete", "mysqlcluster", "served");
});

function userOptions(data: Record<string, string>, name = "options"): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" }, data };
}

function conditionOf({ status }: MySQLCluster) {
  return status?.conditions?.find(({ type }) => type === "InstancesStartable");
}

function statefulSet(name: string): Promise<StatefulSet> {
  return cluster.get<StatefulSet>("statefulset", `moco-${name}`);
}

function service(name: string): Promise<Service> {
  return cluster.get<Service>("service", name);
}

function mountedOptions({ spec }: StatefulSet): string | undefined {
  return spec?.template.spec?.volumes?.find(({ name }) => name === "mysql-conf")?.configMap?.name;
}
