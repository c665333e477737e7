/**
 * A person stops parts of the operator's work or takes a cluster offline; and whatever becomes of one cluster, its neighbour
 * never notices.
 */
import { annotationKeys, labelKeys } from "@moco-ts/api";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  conditionOf,
  leader,
  manifest,
  patience,
  podEndpoint,
  podsOf,
  primaryPod,
  slowness,
  startOperatorCluster,
  systemNamespace,
  waitForCondition,
  Writer,
  type OperatorCluster,
} from "../testing/index.ts";
import { primaryOf, replicasOf, statusOf, waitForVoters } from "./looks.ts";

const name = "calm";
let operator: OperatorCluster;

beforeAll(async () => {
  operator = await startOperatorCluster({ name: "neighbours" });
  await operator.apply(manifest({ name, replicas: 3 }));
  await waitForCondition(operator, name, "Healthy");
});
afterAll(() => operator?.down());

const pod = (ordinal: number): string => `moco-${name}-${ordinal}`;
const kill = (target: string) =>
  operator.local.faults.kill({ namespace: "default", name: target, container: "mysqld", process: "mysqld" });

async function annotate(cluster: string, ...annotations: string[]): Promise<void> {
  await operator.kubectl("annotate", "mysqlcluster", cluster, ...annotations);
}

/** Makes another instance the primary. Returns milliseconds without an acknowledged write. */
async function switchOver(writer: Writer): Promise<number> {
  const before = await primaryPod(operator, name);
  const since = Date.now();
  await operator.kubectl("annotate", "pod", before, `${annotationKeys.demote}=true`);
  await expect.poll(() => primaryPod(operator, name), patience).not.toBe(before);
  const pause = await writer.longestPause(since);
  await waitForVoters(operator, name, 3);
  return pause;
}

test("while clustering is stopped nothing is done and nothing is claimed; afterwards all is put right", async () => {
  const writer = await Writer.start(operator, name);
  await annotate(name, `${annotationKeys.clusteringStopped}=true`);
  await waitForCondition(operator, name, "ClusteringActive", "False");
  expect(await conditionOf(operator, name, "Available")).toMatchObject({ status: "Unknown" });
  expect(await conditionOf(operator, name, "Healthy")).toMatchObject({ status: "Unknown" });
  const [one] = await replicasOf(operator, name);
  await operator.query(pod(one!), "STOP REPLICA IO_THREAD");
  await kill(pod(one!));
  const primary = await primaryPod(operator, name);
  await operator.kubectl("annotate", "pod", primary, `${annotationKeys.demote}=true`);
  // Somebody else's cluster comes up in the meantime: the operator is well and has had its time.
  await operator.apply(manifest({ name: "later" }));
  await waitForCondition(operator, "later", "Healthy");
  expect(await primaryPod(operator, name)).toBe(primary);
  const receiving = "SELECT SERVICE_STATE FROM performance_schema.replication_connection_status";
  await expect.poll(() => operator.query(pod(one!), receiving).catch(String), patience).toBe("OFF");
  await writer.writesAgain(Date.now());

  await annotate(name, `${annotationKeys.clusteringStopped}-`);
  await expect.poll(() => primaryPod(operator, name), patience).not.toBe(primary);
  await waitForVoters(operator, name, 3);
  expect(await conditionOf(operator, name, "ClusteringActive")).toMatchObject({ status: "True" });
  expect((await writer.stop()).lost).toEqual([]);
  await operator.kubectl("delete", "mysqlcluster", "later");
});

test("while reconciliation is stopped a lost primary is replaced all the same", async () => {
  await annotate(name, `${annotationKeys.reconciliationStopped}=true`, `${annotationKeys.autoRecloneErrant}=true`);
  await waitForCondition(operator, name, "ReconciliationActive", "False");
  const writer = await Writer.start(operator, name);
  const primary = await primaryPod(operator, name);
  const since = Date.now();
  await operator.local.faults.freeze({ namespace: "default", name: primary, container: "mysqld", process: "mysqld" });
  await expect.poll(() => primaryPod(operator, name), patience).not.toBe(primary);
  await writer.writesAgain(since + 1_000);
  await operator.local.faults.thaw({ namespace: "default", name: primary, container: "mysqld", process: "mysqld" });
  await waitForVoters(operator, name, 3);
  expect((await writer.stop()).lost).toEqual([]);
  await annotate(name, `${annotationKeys.reconciliationStopped}-`);
  await waitForCondition(operator, name, "ReconciliationActive", "True");
});

test("a cluster goes offline and comes back with every row and the same primary", async () => {
  const writer = await Writer.start(operator, name);
  await writer.writesAgain(Date.now() + 1_000);
  const primary = await primaryPod(operator, name);
  const { acknowledged, lost } = await writer.stop();
  expect(lost).toEqual([]);
  const count = "SELECT COUNT(*) FROM ledger.rows";
  const rows = Number(await operator.query(primary, count));
  expect(rows).toBeGreaterThanOrEqual(acknowledged);
  await operator.patch(name, { offline: true });
  await expect.poll(() => podsOf(operator, name), patience).toEqual([]);
  for (const type of ["Available", "Healthy"]) {
    expect(await conditionOf(operator, name, type)).toMatchObject({ status: "False", reason: "Offline" });
  }
  const { clustering } = await statusOf(operator, name);
  await operator.patch(name, { offline: false });
  await waitForVoters(operator, name, 3);
  expect(await primaryPod(operator, name)).toBe(primary);
  expect((await statusOf(operator, name)).clustering?.voters).toEqual(clustering?.voters);
  expect(Number(await operator.query(primary, count))).toBe(rows);
  const again = await Writer.start(operator, name);
  await again.writesAgain(Date.now());
  expect((await again.stop()).lost).toEqual([]);
});

describe("a neighbour is not disturbed by a cluster", () => {
  const wild = "wild";
  let writer: Writer;

  beforeEach(async () => {
    await operator.apply(manifest({ name: wild, replicas: 3 }));
    await waitForCondition(operator, wild, "Healthy");
    writer = await Writer.start(operator, name);
  });

  const oddities: [string, () => Promise<unknown>][] = [
    ["of which no instance can be reached", cutAllOff],
    ["that is half deleted", deleteByHalves],
    ["whose status makes no sense", talkNonsense],
    ["whose mysqld never starts", breakOptions],
  ];

  test.each(oddities)("%s", async (_, makeOdd) => {
    await makeOdd();
    await waitForCondition(operator, wild, "Healthy", "False");
    expect(await switchOver(writer)).toBeLessThan(5_000 * slowness);
    const primary = await primaryPod(operator, name);
    await kill(primary);
    await writer.writesAgain(Date.now() + 1_000);
    await waitForVoters(operator, name, 3);
    expect((await writer.stop()).lost).toEqual([]);
    await operator.local.faults.heal();
    await operator.kubectl("patch", "mysqlcluster", wild, "--type=merge", "-p", '{"metadata":{"finalizers":null}}');
    await operator.kubectl("delete", "mysqlcluster", wild, "--ignore-not-found");
    await operator.kubectl("delete", "pvc", "-l", `${labelKeys.instance}=${wild}`, "--timeout=60s");
  });

  async function cutAllOff(): Promise<void> {
    const controller = await leader(operator);
    for (const { metadata } of await podsOf(operator, wild)) {
      await operator.local.faults.cut(podEndpoint(metadata!.name!), controller);
    }
  }

  /** What is left does not fit together, and it never goes away, as somebody holds it. */
  async function deleteByHalves(): Promise<void> {
    const finalizers = JSON.stringify({ metadata: { finalizers: ["example.com/held"] } });
    await annotate(wild, `${annotationKeys.reconciliationStopped}=true`);
    await operator.kubectl("patch", "mysqlcluster", wild, "--type=merge", "-p", finalizers);
    await operator.kubectl("delete", "service,statefulset", "-l", `${labelKeys.instance}=${wild}`);
    await operator.kubectl(
      "delete",
      "pod",
      `moco-${wild}-${await primaryOf(operator, wild)}`,
      "--ignore-not-found",
      "--force",
    );
    await waitForCondition(operator, wild, "Healthy", "False");
    await operator.kubectl("delete", "secret", `mysql-default.${wild}`, "-n", systemNamespace);
    await operator.kubectl("delete", "mysqlcluster", wild, "--wait=false");
  }

  async function talkNonsense(): Promise<void> {
    const status = { currentPrimaryIndex: 7, errantReplicaList: [0, 1, 2, 9], errantReplicas: -3 };
    const patch = JSON.stringify({ status });
    await operator.kubectl("patch", "mysqlcluster", wild, "--subresource=status", "--type=merge", "-p", patch);
  }

  async function breakOptions(): Promise<void> {
    const options = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: wild, namespace: "default" } };
    await operator.apply({ ...options, data: { nonsense: "very-much" } });
    await operator.patch(wild, { mysqlConfigMapName: wild });
  }
});
