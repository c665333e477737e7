/** Both charts over the life of an installation: used, upgraded from an older version, removed, installed again. */
import { rm } from "node:fs/promises";
import { installChart, removeChart, type ChartName } from "@moco-ts/helm";
import { olderChart } from "@moco-ts/helm/testing";
import { down, up } from "@moco-ts/local-kubernetes";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import * as autoresizer from "../autoresizer/install.ts";
import { assertNothingForbidden } from "../testing/forbidden.ts";
import { manifest, patience, systemNamespace, waitForCondition, Writer } from "../testing/index.ts";
import { imageValues, provideImages, restrict } from "../testing/install.ts";
import { OperatorCluster } from "../testing/operator-cluster.ts";
import { Volumes } from "../volume/volumes.ts";

const name = "product-life";
let cluster: OperatorCluster;
let writer: Writer;
let volumes: Volumes;

beforeAll(async () => {
  cluster = new OperatorCluster(await up({ name, auditLog: true }));
  await provideImages(cluster.local);
  await restrict(cluster.local, systemNamespace);
  await autoresizer.prepare(cluster.local);
});

// Without the usual look at what was forbidden: a program that is uninstalled loses its rights before it ends.
afterAll(() => (process.env["KEEP"] ? undefined : down(name)));

const namespaces: Record<ChartName, string> = {
  moco: systemNamespace,
  "pvc-autoresizer": autoresizer.systemNamespace,
};
const names = Object.keys(namespaces) as ChartName[];

async function install(chart: ChartName, folder?: string): Promise<void> {
  await installChart(chart, {
    kubeconfigPath: cluster.local.kubeconfigPath,
    namespace: namespaces[chart],
    values: chart === "moco" ? imageValues : autoresizer.valuesOf({}),
    ...(folder !== undefined && { chart: folder }),
  });
}

const versions = async (): Promise<string[]> => {
  const path = "jsonpath={.items[*].metadata.labels.helm\\.sh/chart}";
  return (await cluster.kubectl("get", "deployments", "-A", "-l", "helm.sh/chart", "-o", path)).split(" ").toSorted();
};

test("an older version is installed, and a cluster takes writes", async () => {
  for (const chart of names) {
    const folder = await olderChart(chart);
    onTestFinished(() => rm(folder, { recursive: true }));
    await install(chart, folder);
  }
  expect(await versions()).toEqual(["moco-0.0.1", "pvc-autoresizer-0.0.1"]);
  await cluster.apply(manifest({ name: "test", replicas: 3 }));
  await waitForCondition(cluster, "test", "Healthy");
  writer = await Writer.start(cluster, "test");
  volumes = new Volumes(cluster, "test");
});

test("an upgrade of both restarts no instance, and no write is refused", async () => {
  const before = await volumes.podIdentities();
  const since = Date.now();
  for (const chart of names) await install(chart);
  expect(await versions()).toEqual(["moco-0.1.0", "pvc-autoresizer-0.1.0"]);
  await waitForCondition(cluster, "test", "Healthy");
  await writer.writesAgain(Date.now());
  expect((await writer.lines()).filter(({ at, acknowledged }) => at > since && !acknowledged)).toEqual([]);
  expect(await volumes.podIdentities()).toEqual(before);
  expect(await cluster.kubectl("get", "mysqlclusters")).toMatch(/AVAILABLE\s+HEALTHY\s+PRIMARY/);
  for (const chart of names) await assertNothingForbidden(cluster.local, namespaces[chart]);
});

test("without the charts writes go on, and whoever comes back finds the cluster as it was", async () => {
  const before = await volumes.podIdentities();
  const { kubeconfigPath } = cluster.local;
  for (const chart of names) await removeChart(chart, { kubeconfigPath, namespace: namespaces[chart] });
  await writer.writesAgain(Date.now());
  for (const chart of names) await install(chart);
  // Somebody is at work again.
  await cluster.patch("test", { primaryServiceTemplate: { metadata: { labels: { team: "shop" } } } });
  const labelled = () => cluster.kubectl("get", "service", "-l", "team=shop", "-o", "name");
  await expect.poll(labelled, patience).toBe("service/moco-test-primary");
  await waitForCondition(cluster, "test", "Healthy");
  expect(await volumes.podIdentities()).toEqual(before);
  expect((await writer.stop()).lost).toEqual([]);
});

test("a cluster is deleted completely, and after it the charts leave nothing but the definitions", async () => {
  await cluster.kubectl("delete", "mysqlcluster", "test", "--timeout=120s");
  const left = () => cluster.kubectl("get", "pods,pvc,secrets", "-l", "app.kubernetes.io/instance=test", "-o", "name");
  await expect.poll(left, patience).toBe("");
  const { kubeconfigPath } = cluster.local;
  for (const chart of names) await removeChart(chart, { kubeconfigPath, namespace: namespaces[chart] });
  const kinds = "clusterroles,clusterrolebindings,mutatingwebhookconfigurations,validatingwebhookconfigurations,crd";
  const objects = (await cluster.kubectl("get", kinds, "-o", "name")).split("\n");
  expect(objects.filter((object) => /moco|autoresizer/.test(object))).toEqual([
    "customresourcedefinition.apiextensions.k8s.io/backuppolicies.moco.cybozu.com",
    "customresourcedefinition.apiextensions.k8s.io/mysqlclusters.moco.cybozu.com",
  ]);
});
