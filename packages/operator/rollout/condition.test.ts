import type { MySQLCluster } from "@moco-ts/api";
import { expect, test } from "vitest";
import { testCluster } from "../reconciliation/testing/clusters.ts";
import { conditionOf, eventOf, statusOf } from "./condition.ts";
import { decide } from "./decide.ts";
import { dead, old, snapshot, starting, updated, type Given } from "./testing/snapshots.ts";

function told(given: Given, cluster: MySQLCluster = testCluster()): string | undefined {
  const seen = snapshot(given);
  const condition = conditionOf(cluster, seen, decide(seen));
  return condition && `${condition.status} ${condition.reason} ${condition.message}`;
}

/** As it is after that was told. */
function after(given: Given): MySQLCluster {
  const [cluster, seen] = [testCluster(), snapshot(given)];
  const { status } = statusOf(cluster, conditionOf(cluster, seen, decide(seen))!, 0);
  return { ...cluster, status: { currentPrimaryIndex: 0, ...(status as object) } };
}

const waiting: Given = { members: [old, old, { ...updated, ...starting }], set: { partition: 2 } };
const failed: Given = { members: [old, old, { ...updated, ...dead }], set: { partition: 2 } };
const complete: Given = { members: [updated, updated, updated], set: { partition: 0, currentRevision: "new" } };

test("a rollout that is under way tells how far it is, and what it waits for", () => {
  expect(told(waiting)).toBe("False RollingOut 1 of 3 pods are updated: moco-test-2 is not Ready");
  expect(told({ members: [old, old, old], cluster: { primary: 2 } })).toBe(
    "False RollingOut 0 of 3 pods are updated: moco-test-2 is next: it is the primary, and hands that role over first",
  );
});

test("a rollout that has stopped tells which pod fails, why, and what to do, and is worth an Event", () => {
  const text =
    "moco-test-2 was updated and fails: the image can't be pulled. No other Pod is touched. Correct the MySQLCluster: " +
    "the rollout then starts again with this Pod. If the Pod recovers, the rollout goes on by itself";
  expect(told(failed)).toBe(`True PodFailed ${text}`);
  const cluster = after(failed);
  const [condition] = cluster.status!.conditions!;
  expect(eventOf(cluster, condition!)).toMatchObject([
    { type: "Warning", reason: "RolloutStopped", message: `The rolling update has stopped: ${text}` },
  ]);
});

test("nothing is said twice", () => {
  expect(told(waiting, after(waiting))).toBe(undefined);
  expect(told(failed, after(failed))).toBe(undefined);
  expect(told(failed, after(waiting))).toMatch(/^True PodFailed/);
});

test("nothing is said of a cluster that had no rollout, nor of what is over in a moment", () => {
  expect(told(complete)).toBe(undefined);
  expect(told({ ...waiting, set: { ...waiting.set, observed: false } })).toBe(undefined);
  expect(
    told({ members: [starting, updated, updated].map((each) => ({ ...each, ...updated })), set: complete.set! }),
  ).toBe(undefined);
});

test("a rollout that is complete is said to be", () => {
  expect(told(complete, after(waiting))).toBe("False UpToDate all pods are of the newest revision");
});
