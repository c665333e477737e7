import { reconcileSucceeded } from "@moco-ts/api";
import { describe, expect, test } from "vitest";
import { outcomeCondition, statusOf, stoppedStatusOf } from "./status.ts";
import { testCluster } from "./testing/clusters.ts";
import { warningOf } from "./warning.ts";

const noon = Date.parse("2026-07-01T12:00:00Z");
const time = "2026-01-01T00:00:00Z";
const stored = (type: string, status: "True" | "False", message = "before") => ({
  type,
  status,
  reason: "Before",
  message,
  lastTransitionTime: time,
});

function clusterWith(...conditions: ReturnType<typeof stored>[]) {
  const reconcileInfo = { generation: 1, reconcileVersion: 1 };
  return { ...testCluster({}, { generation: 2 }), status: { currentPrimaryIndex: 0, conditions, reconcileInfo } };
}

describe("the part of the status that belongs to resources", () => {
  test("keeps what was not looked at this time, and nothing of other writers'", () => {
    const cluster = clusterWith(stored("OptionsSound", "False"), stored("Available", "True"));
    const failed = outcomeCondition(cluster, "no ConfigMap");
    const findings = { statefulSet: undefined, conditions: [failed], version: undefined };
    const { status } = statusOf(cluster, findings, noon);
    expect(status).toEqual({
      reconcileInfo: { generation: 1, reconcileVersion: 1 },
      conditions: [
        expect.objectContaining({ type: "ReconciliationActive", status: "True" }),
        expect.objectContaining({ type: "StatefulSetReady", reason: "StatefulSetNotFound", observedGeneration: 2 }),
        expect.objectContaining({ type: "ReconcileSuccess", message: "reconcile failed: no ConfigMap" }),
        stored("OptionsSound", "False"),
      ],
    });
  });

  test("records the version once everything was made", () => {
    const cluster = clusterWith();
    const findings = {
      statefulSet: undefined,
      conditions: [outcomeCondition(cluster, undefined)],
      version: 2 as const,
    };
    expect(statusOf(cluster, findings, noon).status?.reconcileInfo).toEqual({ generation: 2, reconcileVersion: 2 });
  });

  test("says that a person has stopped it, and leaves the rest as it was", () => {
    const cluster = clusterWith(stored("ReconcileSuccess", "True"), stored("Healthy", "True"));
    expect(stoppedStatusOf(cluster, noon).status?.conditions).toEqual([
      expect.objectContaining({ type: "ReconciliationActive", status: "False" }),
      stored("ReconcileSuccess", "True"),
    ]);
  });
});

describe("a warning", () => {
  const failed = outcomeCondition(testCluster(), "x");

  test("is told when something goes wrong, or wrong in another way", () => {
    const warning = [{ type: "Warning", reason: "ReconcileFailed", message: "reconcile failed: x" }];
    expect(warningOf(testCluster(), failed)).toEqual(warning);
    expect(warningOf(clusterWith(stored("ReconcileSuccess", "True")), failed)).toEqual(warning);
    expect(warningOf(clusterWith(stored("ReconcileSuccess", "False", "reconcile failed: y")), failed)).toEqual(warning);
  });

  test("is not repeated, and nothing is told of what is right", () => {
    expect(warningOf(clusterWith(stored("ReconcileSuccess", "False", "reconcile failed: x")), failed)).toEqual([]);
    expect(warningOf(testCluster(), reconcileSucceeded(1))).toEqual([]);
  });
});
