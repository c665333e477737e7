import type { MySQLCluster } from "@moco-ts/api";
import type { Pod, StatefulSet } from "@moco-ts/kube";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  images,
  manifest,
  mysqldContainer,
  patience,
  podsOf,
  startedPods,
  startOperatorCluster,
  systemNamespace,
  type OperatorCluster,
} from "../testing/index.ts";
import { reconciles } from "./controller.ts";

/**
 * A cluster of MOCO's: with the record that MOCO leaves in the status, Pods are made by version 1, which is compared with
 * what MOCO stores field by field elsewhere. Its options were written for MySQL 8, so the image takes them loosely.
 */
const name = "adopted";
const stopped = "moco.cybozu.com/reconciliation-stopped";
let cluster: OperatorCluster;

beforeAll(async () => {
  cluster = await startOperatorCluster({ name: "cluster-adoption" });
});

afterAll(() => cluster?.down());

test("Pods of MOCO's kind run beside our agent", async () => {
  const podTemplate = { spec: { containers: [mysqldContainer(images.mysqlLoose)] } };
  await cluster.apply(manifest({ name, annotations: { [stopped]: "true" }, spec: { podTemplate } }));
  const status = { status: { reconcileInfo: { generation: 1, reconcileVersion: 1 } } };
  const subresource = ["--subresource=status", "--type=merge", "-p", JSON.stringify(status)];
  await cluster.kubectl("patch", "mysqlcluster", name, ...subresource);
  await cluster.kubectl("annotate", "mysqlcluster", name, `${stopped}-`);
  await expect.poll(() => startedPods(cluster, name), { ...patience, timeout: 240_000 }).toBe(1);
  const [pod] = await podsOf(cluster, name);
  const mysqld = pod!.spec!.containers.find((container) => container.name === "mysqld")!;
  expect(mysqld.command).toBeUndefined();
  expect(mysqld.lifecycle?.preStop?.exec?.command).toEqual(["sleep", "20"]);
});

test("a swap of the controller restarts nothing, even if nothing is recorded", async () => {
  const before = await state();
  const forget = [{ op: "remove", path: "/status/reconcileInfo" }];
  const subresource = ["--subresource=status", "--type=json", "-p", JSON.stringify(forget)];
  await cluster.kubectl("scale", "deployment/moco-controller", "-n", systemNamespace, "--replicas=0");
  await cluster.kubectl("wait", "pods", "--all", "-n", systemNamespace, "--for=delete", "--timeout=60s");
  await cluster.kubectl("patch", "mysqlcluster", name, ...subresource);
  await cluster.kubectl("scale", "deployment/moco-controller", "-n", systemNamespace, "--replicas=2");
  await expect.poll(() => reconciles(cluster), patience).toBeGreaterThan(0);
  expect(await state()).toEqual(before);
  const { status } = await cluster.get<MySQLCluster>("mysqlcluster", name);
  expect(status?.reconcileInfo).toMatchObject({ reconcileVersion: 1 });
});

test("an edit that restarts mysqld anyway brings the newest rules", async () => {
  const before = await state();
  const edit = { spec: { podTemplate: { metadata: { annotations: { edited: "true" } } } } };
  await cluster.kubectl("patch", "mysqlcluster", name, "--type=merge", "-p", JSON.stringify(edit));
  const version = async () =>
    (await cluster.get<MySQLCluster>("mysqlcluster", name)).status?.reconcileInfo?.reconcileVersion;
  await expect.poll(version, patience).toBe(2);
  const uids = async () => (await podsOf(cluster, name)).map(({ metadata }) => metadata?.uid);
  await expect.poll(uids, patience).not.toContain(before.pods[0]!.uid);
  await expect.poll(() => startedPods(cluster, name), patience).toBe(1);
  const uuid = "SELECT @@server_uuid";
  await expect.poll(() => cluster.query(`moco-${name}-0`, uuid), patience).toBe(before.uuid);
});

/** What is another one after a restart. */
async function state() {
  const { metadata } = await cluster.get<StatefulSet>("statefulset", `moco-${name}`);
  return {
    uuid: await cluster.query(`moco-${name}-0`, "SELECT @@server_uuid"),
    generation: metadata?.generation,
    pods: (await podsOf(cluster, name)).map(identity),
  };
}

function identity({ metadata, status }: Pod) {
  const restarts = (status?.containerStatuses ?? []).map((container) => container.restartCount);
  return { name: metadata?.name, uid: metadata?.uid, restarts };
}
