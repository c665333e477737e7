import { expect, test } from "vitest";
import { BackupPolicies, MySQLClusters } from "@moco-ts/api";
import { installDefinitions, testClient, testCluster, testNamespace, testPolicy } from "@moco-ts/api/testing";
import {
  ConfigMaps,
  controllerReference,
  CronJobs,
  Jobs,
  PodDisruptionBudgets,
  Secrets,
  ServiceAccounts,
  Services,
  StatefulSets,
  type Client,
  type KubeObject,
  type Resource,
} from "@moco-ts/kube";
import { startOperator } from "./testing/operator.ts";

const patience = { timeout: 60_000, interval: 100 };
const kinds: Resource[] = [ConfigMaps, PodDisruptionBudgets, Secrets, ServiceAccounts, Services, StatefulSets];
const lastTransitionTime = "2026-01-01T00:00:00Z";
const finalizers = ["moco.cybozu.com/mysqlcluster"];

test("a cluster gets all its resources, and a restarted controller changes none of them", async () => {
  const { client, namespace, system } = await surroundings();
  const operator = await startOperator(system);
  await client.create(MySQLClusters, testCluster({ replicas: 3 }, { name: "c", namespace, finalizers }));
  await expect.poll(() => conditionOf(client, namespace, "ReconcileSuccess"), patience).toBe("True");

  const made = await ours(client, namespace);
  expect(made.map(nameOf).sort()).toEqual([
    expect.stringMatching(/^ConfigMap\/moco-c\.[0-9a-f]{8}$/),
    "ConfigMap/moco-slow-log-agent-config-c.13246250",
    "PodDisruptionBudget/moco-c",
    "Secret/moco-c",
    "Secret/moco-c-grpc",
    "Secret/moco-my-cnf-c",
    "Service/moco-c",
    "Service/moco-c-primary",
    "Service/moco-c-replica",
    "ServiceAccount/moco-c",
    "StatefulSet/moco-c",
  ]);
  expect(
    (await ours(client, system))
      .map(nameOf)
      .filter((name) => name.includes(namespace))
      .sort(),
  ).toEqual([`Secret/moco-agent-${namespace}.c`, `Secret/mysql-${namespace}.c`]);
  const { status } = await client.get(MySQLClusters, { namespace, name: "c" });
  expect(status?.reconcileInfo).toEqual({ generation: 1, reconcileVersion: 2 });

  await operator.stop();
  const before = await ours(client, namespace);
  const again = await startOperator(system, ["--fluent-bit-image=other", "--mysqld-exporter-image=other"]);
  await expect.poll(() => again.reconciles(), patience).toBeGreaterThan(0);
  expect(versions(await ours(client, namespace))).toEqual(versions(before));
});

test("what somebody changes is put back, and deleting the cluster removes it all", async () => {
  const { client, namespace, system } = await surroundings();
  await startOperator(system);
  await client.create(MySQLClusters, testCluster({ replicas: 3 }, { name: "c", namespace, finalizers }));
  await expect.poll(() => conditionOf(client, namespace, "ReconcileSuccess"), patience).toBe("True");
  const key = { namespace, name: "moco-c-primary" };
  const body = { spec: { selector: { "app.kubernetes.io/name": "wrong" } } };
  await client.patch(Services, key, { type: "merge", body });
  const selected = async () => (await client.get(Services, key)).spec?.selector?.["app.kubernetes.io/name"];
  await expect.poll(selected, patience).toBe("mysql");
  await client.delete(PodDisruptionBudgets, { namespace, name: "moco-c" });
  await expect
    .poll(async () => (await ours(client, namespace)).map(nameOf), patience)
    .toContain("PodDisruptionBudget/moco-c");

  await client.delete(MySQLClusters, { namespace, name: "c" });
  await expect.poll(async () => (await ours(client, namespace)).map(nameOf), patience).toEqual([]);
  // Clusters of other tests may have theirs there.
  expect((await ours(client, system)).map(nameOf).filter((name) => name.includes(namespace))).toEqual([]);
});

test("passwords that mysqld knows are not made anew", { timeout: 180_000 }, async () => {
  const { client, namespace, system } = await surroundings();
  const operator = await startOperator(system);
  await client.create(MySQLClusters, testCluster({ replicas: 3 }, { name: "c", namespace, finalizers }));
  await expect.poll(() => conditionOf(client, namespace, "ReconcileSuccess"), patience).toBe("True");
  const source = { namespace: system, name: `mysql-${namespace}.c` };
  const copy = { namespace, name: "moco-c" };
  const { data } = await client.get(Secrets, source);

  await client.delete(Secrets, source);
  const found = () =>
    client.get(Secrets, source).then(
      (secret) => secret.data,
      () => undefined,
    );
  await expect.poll(found, patience).toEqual(data);

  // While it is at work, it makes each of them anew from the other.
  await operator.stop();
  const initialized = { type: "Initialized", status: "True", reason: "Healthy", message: "", lastTransitionTime };
  const body = { status: { conditions: [initialized] } };
  await client.patch(MySQLClusters, { namespace, name: "c" }, { type: "merge", body }, { subresource: "status" });
  await client.delete(Secrets, copy);
  await client.delete(Secrets, source);
  await startOperator(system);
  const problem = async () => (await client.get(MySQLClusters, { namespace, name: "c" })).status?.conditions;
  const told = { type: "ReconcileSuccess", status: "False", message: expect.stringContaining("put one of them back") };
  await expect.poll(problem, patience).toContainEqual(expect.objectContaining(told));
});

test("a problem is told in the status, and solved when it is put right", async () => {
  const { client, namespace, system } = await surroundings();
  await startOperator(system);
  const spec = { mysqlConfigMapName: "options" };
  await client.create(MySQLClusters, testCluster(spec, { name: "c", namespace, finalizers }));
  const message = async () => (await condition(client, namespace, "ReconcileSuccess"))?.message;
  await expect.poll(message, patience).toMatch(/ConfigMap options of spec.mysqlConfigMapName does not exist/);
  await client.create(ConfigMaps, { metadata: { namespace, name: "options" }, data: { long_query_time: "7" } });
  await expect.poll(message, patience).toBe("reconcile successfully");
  const texts = (await ours(client, namespace)).map((each) => JSON.stringify(each));
  expect(texts.some((text) => text.includes("long_query_time = 7"))).toBe(true);
});

test("a cluster that was stored without the webhooks is judged and completed all the same", async () => {
  const { client, namespace, system } = await surroundings();
  await startOperator(system);
  const spec = { replicas: 2, serverIDBase: 0 };
  await client.create(MySQLClusters, testCluster(spec, { name: "c", namespace }));
  const message = async () => (await condition(client, namespace, "ReconcileSuccess"))?.message;
  await expect.poll(message, patience).toMatch(/spec.replicas.*must be a positive odd number/);
  const { metadata, spec: stored } = await client.get(MySQLClusters, { namespace, name: "c" });
  expect(metadata.finalizers).toEqual(finalizers);
  expect(stored.serverIDBase).toBeGreaterThan(0);
  await client.patch(MySQLClusters, { namespace, name: "c" }, { type: "merge", body: { spec: { replicas: 3 } } });
  await expect.poll(message, patience).toBe("reconcile successfully");
});

test("instances that were taken away without the webhooks stay, and those that somebody adds go", async () => {
  const { client, namespace, system } = await surroundings();
  await startOperator(system);
  await client.create(MySQLClusters, testCluster({ replicas: 3 }, { name: "c", namespace, finalizers }));
  await expect.poll(() => conditionOf(client, namespace, "ReconcileSuccess"), patience).toBe("True");
  const key = { namespace, name: "moco-c" };
  const replicas = async () => (await client.get(StatefulSets, key)).spec?.replicas;
  await client.patch(StatefulSets, key, { type: "merge", body: { spec: { replicas: 5 } } }, { fieldManager: "person" });
  await expect.poll(replicas, patience).toBe(3);

  const scale = (count: number) =>
    client.patch(MySQLClusters, { namespace, name: "c" }, { type: "merge", body: { spec: { replicas: count } } });
  await scale(1);
  const message = async () => (await condition(client, namespace, "ReconcileSuccess"))?.message;
  await expect.poll(message, patience).toMatch(/spec.replicas.*decreasing replicas is not supported yet/);
  expect(await replicas()).toBe(3);
  await scale(5);
  await expect.poll(replicas, patience).toBe(5);
});

test("evictions are held back during a backup, also one that a person has started", { timeout: 180_000 }, async () => {
  const { client, namespace, system } = await surroundings();
  await startOperator(system);
  await client.create(BackupPolicies, testPolicy({}, { namespace, name: "daily" }));
  await client.create(ServiceAccounts, { metadata: { namespace, name: "backup" } });
  const spec = { replicas: 3, backupPolicyName: "daily" };
  await client.create(MySQLClusters, testCluster(spec, { name: "c", namespace, finalizers }));
  const allowed = async () => {
    const { items } = await client.list(PodDisruptionBudgets, { namespace });
    return items[0]?.spec?.maxUnavailable;
  };
  await expect.poll(() => conditionOf(client, namespace, "ReconcileSuccess"), patience).toBe("True");
  expect(await allowed()).toBe(1);

  // As `kubectl create job --from=cronjob/moco-backup-c` does.
  const cronJob = await client.get(CronJobs, { namespace, name: "moco-backup-c" });
  const { metadata, spec: job } = cronJob.spec.jobTemplate;
  const ownerReferences = [controllerReference(CronJobs, cronJob)];
  await client.create(Jobs, {
    metadata: { name: "by-hand", namespace, labels: metadata!.labels!, ownerReferences },
    spec: job!,
  });
  await expect.poll(allowed, patience).toBe(0);
  await client.delete(Jobs, { namespace, name: "by-hand" }, { propagation: "Background" });
  await expect.poll(allowed, patience).toBe(1);
});

test("an object of somebody else is never taken over: the status names it", async () => {
  const { client, namespace, system } = await surroundings();
  const foreign = await client.create(Services, {
    metadata: { name: "moco-c-primary", namespace },
    spec: { ports: [{ port: 80 }], selector: { app: "theirs" } },
  });
  await startOperator(system);
  await client.create(MySQLClusters, testCluster({}, { name: "c", namespace, finalizers }));
  const message = async () => (await condition(client, namespace, "ReconcileSuccess"))?.message;
  await expect.poll(message, patience).toMatch(/moco-c-primary/);
  const { metadata } = await client.get(Services, { namespace, name: "moco-c-primary" });
  expect(metadata?.resourceVersion).toBe(foreign.metadata?.resourceVersion);
});

test("reconciliation that a person has stopped leaves everything alone", async () => {
  const { client, namespace, system } = await surroundings();
  await startOperator(system);
  const annotations = { "moco.cybozu.com/reconciliation-stopped": "true" };
  await client.create(MySQLClusters, testCluster({}, { name: "c", namespace, finalizers, annotations }));
  await expect.poll(() => conditionOf(client, namespace, "ReconciliationActive"), patience).toBe("False");
  expect((await ours(client, namespace)).map(nameOf)).toEqual([]);
  const body = { metadata: { annotations: { "moco.cybozu.com/reconciliation-stopped": null } } };
  await client.patch(MySQLClusters, { namespace, name: "c" }, { type: "merge", body });
  await expect.poll(() => conditionOf(client, namespace, "ReconcileSuccess"), patience).toBe("True");
});

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

async function conditionOf(client: Client, namespace: string, type: string): Promise<string | undefined> {
  return (await condition(client, namespace, type))?.status;
}

/** Everything of the kinds that we make which carries our label. */
async function ours(client: Client, namespace: string): Promise<KubeObject[]> {
  const labelSelector = "app.kubernetes.io/created-by=moco";
  const lists = await Promise.all(kinds.map((kind) => client.list(kind, { namespace, labelSelector })));
  return lists.flatMap(({ items }) => items);
}

function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind}/${metadata?.name}`;
}

/** The StatefulSet's own controller writes its status, so that generations say more there. */
function versions(objects: readonly KubeObject[]): string[] {
  return objects.map((each) => {
    const { generation, resourceVersion } = each.metadata ?? {};
    return `${nameOf(each)} ${each.kind === "StatefulSet" ? generation : resourceVersion}`;
  });
}
