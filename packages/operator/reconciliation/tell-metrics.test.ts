import { Metrics } from "@moco-ts/base";
import { expect, test } from "vitest";
import { createClusterMetrics } from "../metrics.ts";
import { tellMetrics } from "./tell-metrics.ts";
import { testCluster } from "./testing/clusters.ts";

const backup = { time: "2026-01-02T03:04:05Z", elapsed: "1m30.5s", dumpSize: 10, workDirUsage: 30, warnings: ["a"] };

async function told(...clusters: ReturnType<typeof testCluster>[]): Promise<string[]> {
  const metrics = new Metrics();
  const families = createClusterMetrics(metrics);
  for (const cluster of clusters) tellMetrics(families, cluster);
  return (await metrics.text()).split("\n").filter((line) => line.startsWith("moco_"));
}

test("whether a person has stopped reconciliation", async () => {
  const labels = '{name="test",namespace="shop"}';
  expect(await told(testCluster())).toEqual([`moco_cluster_reconciliation_stopped${labels} 0`]);
  const annotations = { "moco.cybozu.com/reconciliation-stopped": "true" };
  expect(await told(testCluster(), testCluster({}, { annotations }))).toEqual([
    `moco_cluster_reconciliation_stopped${labels} 1`,
  ]);
});

test("the last backup", async () => {
  const lines = await told({ ...testCluster(), status: { currentPrimaryIndex: 0, backup } });
  expect(lines.slice(1).map((line) => line.replace('{name="test",namespace="shop"}', ""))).toEqual([
    "moco_backup_timestamp 1767323045",
    "moco_backup_elapsed_seconds 90.5",
    "moco_backup_dump_bytes 10",
    "moco_backup_binlog_bytes 0",
    "moco_backup_workdir_usage_bytes 30",
    "moco_backup_warnings 1",
  ]);
});

test("what makes no sense in a status is not a number", async () => {
  const lines = await told({
    ...testCluster(),
    status: { currentPrimaryIndex: 0, backup: { ...backup, elapsed: "?" } },
  });
  expect(lines.join("\n")).toMatch(/elapsed_seconds\S+ nan$/im);
});
