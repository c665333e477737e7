/**
 * A primary that is shut down would tell waiting clients that their commits are done, though nobody else has them. In Pods
 * of version 2 process 1 sees to that; in those of MOCO's kind, version 1, the operator does.
 */
import { annotationKeys, type MySQLCluster } from "@moco-ts/api";
import { describeError } from "@moco-ts/base";
import type { Pod, Secret } from "@moco-ts/kube";
import { connect } from "@moco-ts/mysql";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  images,
  manifest,
  mysqldContainer,
  patience,
  podEndpoint,
  primaryPod,
  startOperatorCluster,
  waitForCondition,
  Writer,
  type OperatorCluster,
} from "../testing/index.ts";
import { replicasOf } from "./looks.ts";

const unhurried = { timeout: 600_000 };
let operator: OperatorCluster;

beforeAll(async () => {
  operator = await startOperatorCluster({ name: "endings" });
});
afterAll(() => operator?.down());

/** Version 1 is kept for clusters that MOCO has made: with the record that it leaves in the status, Pods are of its kind. */
async function start(name: string, version: 1 | 2): Promise<void> {
  const stopped = annotationKeys.reconciliationStopped;
  const container = mysqldContainer(version === 1 ? images.mysqlLoose : images.mysql);
  // Without a limit to their delay, replicas of version 1 are ready at once, and not after a minute.
  const spec = { maxDelaySeconds: 0, podTemplate: { spec: { containers: [container] } } };
  const annotations = { [annotationKeys.autoRecloneErrant]: "true", [stopped]: "true" };
  await operator.apply(manifest({ name, replicas: 3, annotations, spec }));
  const status = { status: { reconcileInfo: { generation: 1, reconcileVersion: version } } };
  const subresource = ["--subresource=status", "--type=merge", "-p", JSON.stringify(status)];
  await operator.kubectl("patch", "mysqlcluster", name, ...subresource);
  await operator.kubectl("annotate", "mysqlcluster", name, `${stopped}-`);
  await waitForCondition(operator, name, "Healthy", "True", 400_000);
  const { status: found } = await operator.get<MySQLCluster>("mysqlcluster", name);
  expect(found?.reconcileInfo?.reconcileVersion).toBe(version);
}

/** A client of one instance, which waits for its answers for as long as it takes. */
async function clientOf(name: string, pod: string) {
  const { data } = await operator.get<Secret>("secret", `moco-${name}`);
  const password = Buffer.from(data!["WRITABLE_PASSWORD"]!, "base64").toString();
  const { status } = await operator.get<Pod>("pod", pod);
  return connect({ host: status!.podIP!, port: 3306, user: "moco-writable", password });
}

const waiting = `SELECT VARIABLE_VALUE FROM performance_schema.global_status
  WHERE VARIABLE_NAME = 'Rpl_semi_sync_source_wait_sessions'`;

const deletions: [string, string[]][] = [
  ["deleted by force", ["--force"]],
  ["deleted", ["--wait=false"]],
];

describe.each([1, 2] as const)("a primary of version %i", (version) => {
  const name = `ending${version}`;

  beforeAll(() => start(name, version));
  afterAll(() => operator?.kubectl("delete", "mysqlcluster", name));

  test.each(deletions)("tells nobody of a commit that no replica has when its Pod is %s", unhurried, async (_, how) => {
    const primary = await primaryPod(operator, name);
    const client = await clientOf(name, primary);
    await client.query("CREATE DATABASE IF NOT EXISTS shop");
    await client.query("CREATE TABLE IF NOT EXISTS shop.sold (at BIGINT PRIMARY KEY)");
    for (const ordinal of await replicasOf(operator, name)) {
      await operator.local.faults.cut(podEndpoint(primary), podEndpoint(`moco-${name}-${ordinal}`));
    }
    const answer = client.query("INSERT INTO shop.sold VALUES (?)", [Date.now()], { timeout: 120_000 }).then(
      () => "it is done",
      (error: unknown) => describeError(error),
    );
    await expect.poll(() => operator.query(primary, waiting), patience).not.toBe("0");
    await operator.kubectl("delete", "pod", primary, ...how);
    expect(await answer).not.toMatch(/it is done|took longer/);
    await operator.local.faults.heal();
    await waitForCondition(operator, name, "Healthy", "False");
    await waitForCondition(operator, name, "Healthy", "True", 300_000);
  });

  test("takes no acknowledged row with it, however its Pod ends", unhurried, async () => {
    const writer = await Writer.start(operator, name);
    for (const end of [forceDelete, evict, forceDelete, evict]) {
      const before = await primaryPod(operator, name);
      const { metadata } = await operator.get<Pod>("pod", before);
      const since = Date.now();
      await end(before);
      const isBack = () => isReplaced(before, metadata!.uid!);
      // With controllers that are killed it can be back before anybody has noticed.
      const isUnnoticed = async () => "KILL" in process.env && (await isBack());
      const isOver = async () => (await primaryPod(operator, name)) !== before || (await isUnnoticed());
      await expect.poll(isOver, patience).toBe(true);
      await writer.writesAgain(since + 1_000);
      await expect.poll(isBack, patience).toBe(true);
      await waitForCondition(operator, name, "Healthy", "True", 300_000);
    }
    const ledger = await writer.stop();
    expect(ledger.lost).toEqual([]);
    expect(ledger.acknowledged).toBeGreaterThan(100);
  });
});

/** Whether there is another Pod of that name, which is ready. */
async function isReplaced(name: string, uid: string): Promise<boolean> {
  const pod = await operator.get<Pod>("pod", name).catch(() => undefined);
  const ready = pod?.status?.conditions?.find(({ type }) => type === "Ready");
  return pod?.metadata?.uid !== uid && ready?.status === "True";
}

async function forceDelete(pod: string): Promise<void> {
  await operator.kubectl("delete", "pod", pod, "--force");
}

/** As a drain does. */
async function evict(name: string): Promise<void> {
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { namespace: "default", name } };
  const path = `/api/v1/namespaces/default/pods/${name}/eviction`;
  await operator.local.kubectl(["create", "--raw", path, "-f", "-"], { input: JSON.stringify(eviction) });
}
