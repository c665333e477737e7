/** The whole controller: what users see of their volumes, and what they see of a controller that died. */
import { MySQLClusters } from "@moco-ts/api";
import { testNamespace } from "@moco-ts/api/testing";
import { Events, PersistentVolumeClaims, Services, type Client } from "@moco-ts/kube";
import { expect, test } from "vitest";
import { startOperator } from "../testing/operator.ts";
import { mortal } from "./testing/mortal.ts";
import { startProcess } from "./testing/process.ts";
import { dataTemplate, patience, runningCluster, surroundings, type RunningCluster } from "./testing/surroundings.ts";

test("growth is followed until the claims report it, and a person is told to restart a Pod", async () => {
  const { client, namespace, classes } = await surroundings();
  const cluster = await runningCluster(client, namespace, { volumeClaimTemplates: [dataTemplate(classes.growing)] });
  const pods = await cluster.podIdentities();
  const operator = await startOperator(await testNamespace(client));
  await expect.poll(() => volumes(cluster), patience).toMatchObject({ status: "True", reason: "VolumesResized" });

  await cluster.edit({ volumeClaimTemplates: [dataTemplate(classes.growing, "2Gi")] });
  await expect.poll(() => volumes(cluster), patience).toMatchObject({ status: "False", reason: "Resizing" });
  await expect.poll(() => cluster.sizes(), patience).toEqual(["2Gi", "2Gi", "2Gi"]);
  const message = async () => (await volumes(cluster))?.message;
  await expect.poll(message, patience).toContain("mysql-data-moco-c-2: grows from 1Gi to 2Gi");
  await resize(client, namespace, 0, { capacity: { storage: "2Gi" } });
  await resize(client, namespace, 1, { capacity: { storage: "2Gi" } });
  const waiting = { type: "FileSystemResizePending", status: "True" };
  await resize(client, namespace, 2, { conditions: [waiting] });
  await expect
    .poll(() => volumes(cluster), patience)
    .toMatchObject({
      status: "False",
      reason: "FileSystemResizePending",
      message: expect.stringContaining("kubectl delete pod moco-c-2") as string,
    });
  await resize(client, namespace, 2, { capacity: { storage: "2Gi" }, conditions: [] });
  await expect.poll(() => volumes(cluster), patience).toMatchObject({ status: "True" });
  await cluster.settled();
  expect(await cluster.podIdentities()).toEqual(pods);
  const told = async () => (await eventsOf(cluster)).toSorted();
  const expected = ["Normal StatefulSetRecreated", "Normal VolumesResized", "Warning FileSystemResizePending"];
  await expect.poll(told, patience).toEqual(expect.arrayContaining(expected));
  const lines = (await operator.metrics()).split("\n").filter((line) => line.includes(`namespace="${namespace}"`));
  const counted = (name: string) => lines.find((line) => line.startsWith(`moco_cluster_${name}{`))?.split(" ")[1];
  expect(counted("volume_resized_total")).toBe("1");
  expect(counted("statefulset_recreate_total")).toBe("1");
});

test("a volume that may not grow: a condition and an event say so, and the StatefulSet is made anew", async () => {
  const { client, namespace, classes } = await surroundings();
  const cluster = await runningCluster(client, namespace, { volumeClaimTemplates: [dataTemplate(classes.fixed)] });
  const before = await cluster.statefulSet();
  await startOperator(await testNamespace(client));
  // No webhook is asked here, which would have refused it.
  await cluster.edit({ volumeClaimTemplates: [dataTemplate(classes.fixed, "2Gi")] });
  await expect
    .poll(() => volumes(cluster), patience)
    .toMatchObject({
      status: "False",
      reason: "ExpansionNotAllowed",
      message: expect.stringContaining(`StorageClass ${classes.fixed} does not exist or does not allow`) as string,
    });
  await expect.poll(() => eventsOf(cluster), patience).toContain("Warning ExpansionNotAllowed");
  await expect.poll(async () => (await cluster.settled()).metadata?.uid, patience).not.toBe(before.metadata?.uid);
  expect(await cluster.sizes()).toEqual(["1Gi", "1Gi", "1Gi"]);
});

test("a controller that is started finds a StatefulSet that is missing, and brings it back", async () => {
  const { client, namespace, classes } = await surroundings();
  const cluster = await runningCluster(client, namespace, { volumeClaimTemplates: [dataTemplate(classes.growing)] });
  const pods = await cluster.podIdentities();
  await diesWithoutStatefulSet(cluster, classes.growing);
  await startOperator(await testNamespace(client));
  await expect
    .poll(
      () =>
        cluster.statefulSet().then(
          () => "there",
          () => "missing",
        ),
      patience,
    )
    .toBe("there");
  const { spec } = await cluster.settled();
  expect(spec?.volumeClaimTemplates?.[0]?.spec?.resources?.requests).toEqual({ storage: "2Gi" });
  expect(await cluster.podIdentities()).toEqual(pods);
  await expect.poll(() => cluster.records(), patience).toBe(0);
});

test("a cluster that is deleted while its StatefulSet is missing leaves no Pod behind", async () => {
  const { client, namespace, classes } = await surroundings();
  const cluster = await runningCluster(client, namespace, { volumeClaimTemplates: [dataTemplate(classes.growing)] });
  const body = { metadata: { finalizers: ["moco.cybozu.com/mysqlcluster"] } };
  await client.patch(MySQLClusters, cluster.key, { type: "merge", body });
  await diesWithoutStatefulSet(cluster, classes.growing);
  await client.delete(MySQLClusters, cluster.key);
  await startOperator(await testNamespace(client));
  await expect.poll(() => cluster.pods(), patience).toEqual([]);
  await expect
    .poll(
      () =>
        client.get(MySQLClusters, cluster.key).then(
          () => "there",
          () => "gone",
        ),
      patience,
    )
    .toBe("gone");
  await expect.poll(() => cluster.records(), patience).toBe(0);
});

test("disks grow whatever else is wrong with the cluster", async () => {
  const { client, namespace, classes } = await surroundings();
  const cluster = await runningCluster(client, namespace, { volumeClaimTemplates: [dataTemplate(classes.growing)] });
  await client.create(Services, { metadata: { name: "moco-c-primary", namespace }, spec: { ports: [{ port: 80 }] } });
  await startOperator(await testNamespace(client));
  await cluster.edit({ volumeClaimTemplates: [dataTemplate(classes.growing, "2Gi")] });
  await expect.poll(() => cluster.sizes(), patience).toEqual(["2Gi", "2Gi", "2Gi"]);
  const isWrong = { status: "False", message: expect.stringContaining("moco-c-primary") as string };
  await expect.poll(() => conditionOf(cluster, "ReconcileSuccess"), patience).toMatchObject(isWrong);
});

/** Leaves Pods without a StatefulSet, and a record of it. */
async function diesWithoutStatefulSet(cluster: RunningCluster, storageClass: string): Promise<void> {
  await cluster.edit({ volumeClaimTemplates: [dataTemplate(storageClass, "2Gi")] });
  const { client, isDead } = mortal(cluster.client, { step: "create StatefulSet", when: "before" });
  await (await startProcess(client)).reconcileUntilDone(cluster.key).catch(() => undefined);
  expect(isDead()).toBe(true);
  await expect(cluster.statefulSet()).rejects.toThrow("not found");
}

function volumes(cluster: RunningCluster) {
  return conditionOf(cluster, "VolumesResized");
}

async function conditionOf({ client, key }: RunningCluster, type: string) {
  const { status } = await client.get(MySQLClusters, key);
  return status?.conditions?.find((each) => each.type === type);
}

/** As a resizer does. */
async function resize(client: Client, namespace: string, ordinal: number, status: object): Promise<void> {
  const key = { namespace, name: `mysql-data-moco-c-${ordinal}` };
  await client.patch(PersistentVolumeClaims, key, { type: "merge", body: { status } }, { subresource: "status" });
}

async function eventsOf({ client, key }: RunningCluster): Promise<string[]> {
  const fieldSelector = `involvedObject.kind=MySQLCluster,involvedObject.name=${key.name}`;
  const { items } = await client.list(Events, { namespace: key.namespace, fieldSelector });
  return items.map(({ type, reason }) => `${type} ${reason}`);
}
