import type { MySQLCluster } from "@moco-ts/api";
import { afterAll, beforeAll, expect, test } from "vitest";
import { manifest, startOperatorCluster, waitForCondition, Writer, type OperatorCluster } from "../testing/index.ts";

let operator: OperatorCluster;
let writer: Writer;

beforeAll(async () => {
  operator = await startOperatorCluster({ name: "clustering" });
});
afterAll(() => operator?.down());

async function primaryIndex(): Promise<number> {
  return (await operator.get<MySQLCluster>("mysqlcluster", "three")).status?.currentPrimaryIndex ?? 0;
}

const primaryPod = async (): Promise<string> => `moco-three-${await primaryIndex()}`;

test("three instances become a healthy cluster that takes writes through its primary Service", async () => {
  await operator.apply(manifest({ name: "three", replicas: 3 }));
  await waitForCondition(operator, "three", "Healthy");
  writer = await Writer.start(operator, "three");
  expect(await operator.kubectl("get", "pods", "-l", "moco.cybozu.com/role=replica", "-o", "name")).toBe(
    "pod/moco-three-1\npod/moco-three-2",
  );
  const semiSync = "SELECT @@rpl_semi_sync_source_enabled, @@rpl_semi_sync_source_wait_for_replica_count, @@read_only";
  expect(await operator.query("moco-three-0", semiSync)).toBe("1\t1\t0");
});

test("a switchover makes writers wait for a moment and loses nothing", async () => {
  const before = await primaryIndex();
  const since = Date.now();
  await operator.kubectl("annotate", "pod", await primaryPod(), "moco.cybozu.com/demote=true");
  await expect.poll(primaryIndex, { timeout: 30_000 }).not.toBe(before);
  await writer.writesAgain(since + 1_000);
  await waitForCondition(operator, "three", "Healthy");
});

test("writers go on after the primary was killed, and every acknowledged row is there", async () => {
  const before = await primaryPod();
  await operator.local.faults.kill({ namespace: "default", name: before, container: "mysqld", process: "mysqld" });
  const killed = Date.now();
  await writer.writesAgain(killed + 500);
  // A primary that is back before another one was opened may keep its place.
  await waitForCondition(operator, "three", "Available");
  const ledger = await writer.stop(await primaryPod());
  expect(ledger.acknowledged).toBeGreaterThan(0);
  expect(ledger.lost).toEqual([]);
});
