import { expect, test } from "vitest";
import {
  clusteringActive,
  formatTime,
  reconcileFailed,
  reconcileSucceeded,
  reconciliationActive,
  since,
  stateCondition,
  statefulSetReady,
} from "./conditions.ts";

test.each([
  [clusteringActive(true), "ClusteringActive True ClusteringActive: clustering is active"],
  [clusteringActive(false), "ClusteringActive False ClusteringInactive: clustering is inactive"],
  [reconciliationActive(true), "ReconciliationActive True ReconciliationActive: reconciliation is active"],
  [reconciliationActive(false), "ReconciliationActive False ReconciliationInactive: reconciliation is inactive"],
  [reconcileSucceeded(3), "ReconcileSuccess True ReconcileSuccess: reconcile successfully"],
  [reconcileFailed(3, ""), "ReconcileSuccess False ReconcileFailed: reconcile failed"],
  [reconcileFailed(3, "no ConfigMap x"), "ReconcileSuccess False ReconcileFailed: reconcile failed: no ConfigMap x"],
  [statefulSetReady(3, "StatefulSetReady", "all"), "StatefulSetReady True StatefulSetReady: all"],
  [statefulSetReady(3, "FaildToGetStatefulSet", "x"), "StatefulSetReady False FaildToGetStatefulSet: x"],
  [stateCondition("Available", "True", "Degraded"), "Available True Degraded: the current state is Degraded"],
  [stateCondition("Healthy", "Unknown", "Lost"), "Healthy Unknown Lost: the current state is Lost"],
])("%o", ({ type, status, reason, message }, text) => {
  expect(`${type} ${status} ${reason}: ${message}`).toBe(text);
});

test("only conditions about the resources say which generation they are about", () => {
  expect(reconcileSucceeded(3).observedGeneration).toBe(3);
  expect(statefulSetReady(4, "StatefulSetNotFound", "").observedGeneration).toBe(4);
  expect(clusteringActive(true).observedGeneration).toBeUndefined();
});

test("a message that is too long for the API server is cut off", () => {
  expect(reconcileFailed(1, "x".repeat(40_000)).message.length).toBe(32_768);
});

test("the time of a condition is that of the last change of its status", () => {
  const noon = Date.parse("2026-07-01T12:00:00.987Z");
  const first = since(reconcileFailed(1, "a"), undefined, noon);
  expect(first.lastTransitionTime).toBe("2026-07-01T12:00:00Z");
  const second = since(reconcileFailed(2, "b"), [first], noon + 60_000);
  expect(second).toMatchObject({ lastTransitionTime: "2026-07-01T12:00:00Z", message: "reconcile failed: b" });
  const third = since(reconcileSucceeded(3), [second], noon + 120_000);
  expect(third.lastTransitionTime).toBe("2026-07-01T12:02:00Z");
  expect(formatTime(0)).toBe("1970-01-01T00:00:00Z");
});
