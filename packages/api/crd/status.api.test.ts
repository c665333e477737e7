import { CustomResourceDefinitions, type Condition, type Configuration } from "@moco-ts/kube";
import { expect, onTestFinished, test } from "vitest";
import { MySQLClusters, type MySQLCluster } from "../mysqlcluster/types.ts";
import { installDefinitions, readDefinitions, testClient, testNamespace } from "../testing/cluster.ts";
import { testCluster } from "../testing/manifests.ts";

const lastTransitionTime = "2026-01-01T00:00:00Z";

function condition(type: string, status: string): Condition {
  return { type, status, reason: "Test", message: "a test", lastTransitionTime };
}

async function setup() {
  const client = await testClient();
  await installDefinitions(client);
  const namespace = await testNamespace(client);
  const { metadata } = await client.create(MySQLClusters, testCluster({}, { namespace }));
  const apply = (fieldManager: string, status: Configuration<MySQLCluster>["status"]) => {
    const configuration = { metadata: { name: metadata.name, namespace }, status } as MySQLCluster;
    return client.apply(MySQLClusters, configuration, { fieldManager, subresource: "status", force: true });
  };
  return { client, namespace, apply };
}

test("each writer applies its own part of the status, and takes back only its own", async () => {
  const { apply } = await setup();
  const first = await apply("resources", {
    conditions: [condition("ReconcileSuccess", "True")],
    reconcileInfo: { generation: 1, reconcileVersion: 2 },
  });
  expect(first.status).toMatchObject({ currentPrimaryIndex: 0 });
  await apply("clustering", { conditions: [condition("Healthy", "True")], currentPrimaryIndex: 2, syncedReplicas: 3 });
  await apply("resources", {
    conditions: [condition("ReconcileSuccess", "False")],
    reconcileInfo: { generation: 2, reconcileVersion: 2 },
  });
  const { status } = await apply("clustering", { conditions: [], currentPrimaryIndex: 1 });
  expect(status).toEqual({
    conditions: [condition("ReconcileSuccess", "False")],
    reconcileInfo: { generation: 2, reconcileVersion: 2 },
    currentPrimaryIndex: 1,
  });
});

test("the status that today's controller stores is taken as it is", async () => {
  const { client, namespace } = await setup();
  const status = {
    backup: {
      binlogFilename: "",
      binlogSize: 0,
      dumpSize: 0,
      elapsed: "0s",
      gtidSet: "",
      sourceIndex: 0,
      sourceUUID: "",
      time: null,
      warnings: null,
      workDirUsage: 0,
    },
    conditions: [condition("Healthy", "False")],
    currentPrimaryIndex: 0,
    reconcileInfo: { generation: 1, reconcileVersion: 1 },
  };
  const stored = await client.get(MySQLClusters, { namespace, name: "test" });
  const updated = await client.update(MySQLClusters, { ...stored, status }, { subresource: "status" });
  expect(updated.status).toEqual(status);
});

test("conditions that were stored as one list can be applied one by one after an upgrade", async () => {
  const { client, namespace, apply } = await setup();
  const name = "mysqlclusters.moco.cybozu.com";
  const ours = (await readDefinitions()).find(({ metadata }) => metadata?.name === name)!;
  const restore = () => client.apply(CustomResourceDefinitions, ours, { fieldManager: "test", force: true });
  onTestFinished(async () => {
    await restore();
  });
  // As today's definition has it: a list without keys, written as a whole.
  const old = structuredClone(ours);
  const { conditions } = old.spec.versions[0]!.schema!.openAPIV3Schema!.properties!["status"]!.properties!;
  delete conditions!["x-kubernetes-list-type"];
  delete conditions!["x-kubernetes-list-map-keys"];
  await client.apply(CustomResourceDefinitions, old, { fieldManager: "test", force: true });
  const write = async (): Promise<string> => {
    const stored = await client.get(MySQLClusters, { namespace, name: "test" });
    const status = {
      currentPrimaryIndex: 0,
      conditions: [condition("ReconcileSuccess", "True"), condition("Healthy", "True")],
    };
    const { metadata } = await client.update(
      MySQLClusters,
      { ...stored, status },
      { subresource: "status", fieldManager: "moco-controller" },
    );
    return JSON.stringify(metadata.managedFields);
  };
  await expect.poll(write, { timeout: 60_000, interval: 500 }).toContain('"f:conditions":{}');
  await restore();
  const applied = async (): Promise<unknown> => {
    await apply("moco-resources", { conditions: [condition("ReconcileSuccess", "False")] });
    const { status } = await apply("moco-clustering", { conditions: [condition("Healthy", "False")] });
    return status!.conditions!.toSorted((a, b) => a.type.localeCompare(b.type));
  };
  const wanted = [condition("Healthy", "False"), condition("ReconcileSuccess", "False")];
  await expect.poll(applied, { timeout: 60_000, interval: 500 }).toEqual(wanted);
});
