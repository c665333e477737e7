import { afterAll, beforeAll, expect, test } from "vitest";
import {
  faults,
  manifest,
  startOperatorCluster,
  strike,
  waitForCondition,
  Writer,
  type OperatorCluster,
} from "../testing/index.ts";

const name = "three";
let operator: OperatorCluster;
let writer: Writer;

beforeAll(async () => {
  operator = await startOperatorCluster({ name: "clustering" });
});
afterAll(() => operator?.down());

test("three instances become a healthy cluster that takes writes through its primary Service", async () => {
  const annotations = { "moco.cybozu.com/auto-reclone-errant": "true" };
  await operator.apply(manifest({ name, replicas: 3, annotations }));
  await waitForCondition(operator, name, "Healthy");
  writer = await Writer.start(operator, name);
  expect(await operator.kubectl("get", "pods", "-l", "moco.cybozu.com/role=replica", "-o", "name")).toBe(
    "pod/moco-three-1\npod/moco-three-2",
  );
  const semiSync = "SELECT @@rpl_semi_sync_source_enabled, @@rpl_semi_sync_source_wait_for_replica_count, @@read_only";
  expect(await operator.query("moco-three-0", semiSync)).toBe("1\t1\t0");
  const encrypted =
    "SELECT SSL_ALLOWED, SSL_VERIFY_SERVER_CERTIFICATE FROM performance_schema.replication_connection_configuration";
  expect(await operator.query("moco-three-1", encrypted)).toBe("YES\tYES");
});

// The others, and many more of each, are in failover.e2e.test.ts and chaos.ts.
const few = faults.filter((fault) => ["switchover", "kill -9", "SIGSTOP", "pod delete --force"].includes(fault.name));

test.each(few)("writers go on and all is well again after: $name", async (fault) => {
  const { pod } = await strike(operator, name, writer, fault);
  // Whoever was the primary is back as something, and takes part.
  expect(await operator.kubectl("get", "pod", pod, "-o", "jsonpath={.metadata.labels}")).toContain(
    "moco.cybozu.com/role",
  );
});

test("every row that a writer was promised is there, once", async () => {
  const { acknowledged, lost } = await writer.stop();
  expect(acknowledged).toBeGreaterThan(0);
  expect(lost).toEqual([]);
});
