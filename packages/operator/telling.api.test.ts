/** What the controller tells users of what is wrong, and what to do. */
import { MySQLClusters } from "@moco-ts/api";
import { installDefinitions, testClient, testCluster, testNamespace } from "@moco-ts/api/testing";
import { ConfigMaps, Events, Pods, type Client, type ContainerStatus } from "@moco-ts/kube";
import { expect, test } from "vitest";
import { startOperator } from "./testing/operator.ts";

const patience = { timeout: 60_000, interval: 100 };
const finalizers = ["moco.cybozu.com/mysqlcluster"];

test("a reconcile that fails is a warning with the words of the condition, once for each problem", async () => {
  const { client, namespace, system } = await surroundings();
  const operator = await startOperator(system);
  const spec = { mysqlConfigMapName: "options" };
  await client.create(MySQLClusters, testCluster(spec, { name: "c", namespace, finalizers }));
  const failed = "ReconcileFailed";
  await expect.poll(async () => (await events(client, namespace, failed)).length, patience).toBe(1);
  const [event] = await events(client, namespace, failed);
  const { message, reason } = (await condition(client, namespace, "ReconcileSuccess"))!;
  expect(event).toMatchObject({ type: "Warning", message, reason, source: { component: "moco-controller" } });
  expect(message).toContain("ConfigMap options of spec.mysqlConfigMapName does not exist: create it");
  expect(event!.involvedObject).toMatchObject({
    kind: "MySQLCluster",
    name: "c",
    apiVersion: "moco.cybozu.com/v1beta2",
  });

  // It is tried again and again meanwhile, with the same result.
  await expect.poll(async () => failures(await operator.metrics()), patience).toBeGreaterThan(5);
  await client.create(ConfigMaps, { metadata: { namespace, name: "options" }, data: { ".b": "7" } });
  await expect.poll(async () => (await events(client, namespace, failed)).length, patience).toBe(2);
  const told = await events(client, namespace, failed);
  expect(told.map(({ count }) => count)).toEqual([1, 1]);
  expect(told[1]!.message).toContain(".b is not the name of an option");
});

test("an option that mysqld refuses is named on the cluster, until the instance starts", async () => {
  const { client, namespace, system } = await surroundings();
  await startOperator(system);
  const spec = { mysqlConfigMapName: "options" };
  await client.create(ConfigMaps, { metadata: { namespace, name: "options" }, data: { no_such_option: "1" } });
  await client.create(MySQLClusters, testCluster(spec, { name: "c", namespace, finalizers }));
  await expect.poll(async () => (await condition(client, namespace, startable))?.status, patience).toBe("True");

  const name = "moco-c-0";
  await expect.poll(async () => (await client.list(Pods, { namespace })).items.length, patience).toBe(1);
  const message = "unknown variable 'no_such_option=1'.\nAborting\n";
  const [startedAt, finishedAt] = ["2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"];
  const lastState = { terminated: { exitCode: 1, reason: "Error", message, startedAt, finishedAt } };
  await report(client, namespace, name, {
    started: false,
    lastState,
    state: { waiting: { reason: "CrashLoopBackOff" } },
  });
  await expect.poll(async () => (await condition(client, namespace, startable))?.status, patience).toBe("False");
  const text =
    "moco-c-0: mysqld does not start: unknown variable 'no_such_option=1': " +
    "correct ConfigMap options, or the arguments of container mysqld";
  expect((await condition(client, namespace, startable))?.message).toBe(text);
  await expect.poll(async () => (await events(client, namespace, "InstanceCannotStart")).length, patience).toBe(1);
  expect((await events(client, namespace, "InstanceCannotStart"))[0]).toMatchObject({ message: text, count: 1 });

  await report(client, namespace, name, { started: true, ready: true, state: { running: { startedAt: finishedAt } } });
  await expect.poll(async () => (await condition(client, namespace, startable))?.status, patience).toBe("True");
});

test("options that do something else than they seem to are told of, and used", async () => {
  const { client, namespace, system } = await surroundings();
  await startOperator(system);
  const data = { sync_binlog: "0", "log-bin": "x" };
  await client.create(ConfigMaps, { metadata: { namespace, name: "options" }, data });
  const spec = { mysqlConfigMapName: "options" };
  await client.create(MySQLClusters, testCluster(spec, { name: "c", namespace, finalizers }));
  await expect.poll(async () => (await condition(client, namespace, "OptionsSound"))?.status, patience).toBe("False");
  const { message } = (await condition(client, namespace, "OptionsSound"))!;
  expect(message).toMatch(/^ConfigMap options: .*log-bin is left out.*sync_binlog is 0: .*can be lost/);
  expect((await condition(client, namespace, "ReconcileSuccess"))?.status).toBe("True");
  await expect.poll(async () => (await events(client, namespace, "OptionsQuestionable")).length, patience).toBe(1);
  await client.patch(
    ConfigMaps,
    { namespace, name: "options" },
    { type: "merge", body: { data: { sync_binlog: "1", "log-bin": null } } },
  );
  await expect.poll(async () => (await condition(client, namespace, "OptionsSound"))?.status, patience).toBe("True");
});

test("metrics tell of a cluster as long as it exists", async () => {
  const { client, namespace, system } = await surroundings();
  const operator = await startOperator(system);
  await client.create(MySQLClusters, testCluster({}, { name: "c", namespace, finalizers }));
  const series = `moco_cluster_reconciliation_stopped{name="c",namespace="${namespace}"}`;
  await expect.poll(() => operator.metrics(), patience).toContain(`${series} 0`);
  const annotations = { "moco.cybozu.com/reconciliation-stopped": "true" };
  const key = { namespace, name: "c" };
  await client.patch(MySQLClusters, key, { type: "merge", body: { metadata: { annotations } } });
  await expect.poll(() => operator.metrics(), patience).toContain(`${series} 1`);
  const backup = { time: "2026-01-02T03:04:05Z", elapsed: "2s", warnings: [] };
  await client.patch(MySQLClusters, key, { type: "merge", body: { status: { backup } } }, { subresource: "status" });
  const elapsed = `moco_backup_elapsed_seconds{name="c",namespace="${namespace}"} 2`;
  await expect.poll(() => operator.metrics(), patience).toContain(elapsed);
  await client.delete(MySQLClusters, key);
  await expect.poll(() => operator.metrics(), patience).not.toContain(`namespace="${namespace}"`);
});

const startable = "InstancesStartable";

async function surroundings() {
  const client = await testClient();
  await installDefinitions(client);
  const [namespace, system] = [await testNamespace(client), await testNamespace(client)];
  return { client, namespace, system };
}

async function condition(client: Client, namespace: string, type: string) {
  const { status } = await client.get(MySQLClusters, { namespace, name: "c" });
  return status?.conditions?.find((each) => each.type === type);
}

/** In the order in which they happened first. */
async function events(client: Client, namespace: string, reason: string) {
  const { items } = await client.list(Events, { namespace });
  const found = items.filter((event) => event.reason === reason);
  return found.sort((one, other) => (one.metadata.name! < other.metadata.name! ? -1 : 1));
}

/** As the kubelet does. */
async function report(client: Client, namespace: string, name: string, status: Partial<ContainerStatus>) {
  const container = { name: "mysqld", image: "mysql:9.7", imageID: "", ready: false, restartCount: 1, ...status };
  const body = { status: { containerStatuses: [container] } };
  await client.patch(Pods, { namespace, name }, { type: "merge", body }, { subresource: "status" });
}

function failures(metrics: string): number {
  return Number(/controller_runtime_reconcile_total\{.*result="error".*\} (\d+)/.exec(metrics)?.[1] ?? 0);
}
