/**
 * What rolling updates are careful for: a Pod stops working because of its node, the cluster is Unhealthy, and in this state
 * its template changes. Kubernetes alone would take a second Pod down.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  podsOf,
  primaryPod,
  startOperatorCluster,
  waitForCondition,
  Writer,
  type OperatorCluster,
} from "../testing/index.ts";
import { healthyCluster, rolledOut, rolloutPatience, template, told, unhurried, versions } from "./clusters.ts";
import { Members } from "./members.ts";

let operator: OperatorCluster;

beforeAll(async () => {
  operator = await startOperatorCluster({ name: "rollout-accident" });
});
afterAll(() => operator?.down());

/** A replica of which nobody hears any more, as if its node was gone; returns how it comes back. */
async function loseReplica(cluster: string): Promise<() => Promise<void>> {
  const primary = await primaryPod(operator, cluster);
  // The one with the highest ordinal would be the next to be updated anyway.
  const name = [`moco-${cluster}-0`, `moco-${cluster}-1`].find((each) => each !== primary)!;
  const target = { namespace: "default", name, container: "mysqld", process: "mysqld" };
  await operator.local.faults.freeze(target);
  await waitForCondition(operator, cluster, "Healthy", "False", 120_000);
  const isReady = async () => {
    const pod = (await podsOf(operator, cluster)).find(({ metadata }) => metadata?.name === name);
    return pod?.status?.conditions?.find(({ type }) => type === "Ready")?.status;
  };
  await expect.poll(isReady, rolloutPatience).toBe("False");
  return () => operator.local.faults.thaw(target);
}

test("one pod is down, then the template changes: never two are down, and writers go on", unhurried, async () => {
  await healthyCluster(operator, "careful", 3);
  const writer = await Writer.start(operator, "careful");
  const comeBack = await loseReplica("careful");
  const members = await Members.follow(operator, "careful", 3);
  await operator.patch("careful", template("2"));
  await expect
    .poll(() => told(operator, "careful"), rolloutPatience)
    .toMatch(/0 of 3 pods are updated: moco-careful-\d is not Ready/);
  const since = Date.now();
  await writer.writesAgain(since);
  expect(await versions(operator, "careful")).toEqual(["1", "1", "1"]);
  expect(members.mostDown, members.worst).toBe(1);
  await comeBack();
  await rolledOut(operator, "careful", "2", 3);
  members.stop();
  expect(members.mostDown, members.worst).toBe(1);
  const ledger = await writer.stop();
  expect(ledger.lost).toEqual([]);
});

test("with the force annotation two are down", unhurried, async () => {
  await healthyCluster(operator, "forced", 3);
  await operator.kubectl("annotate", "mysqlcluster", "forced", "moco.cybozu.com/force-rolling-update=true");
  const comeBack = await loseReplica("forced");
  const members = await Members.follow(operator, "forced", 3);
  await operator.patch("forced", template("2"));
  await expect.poll(() => members.mostDown, rolloutPatience).toBe(2);
  members.stop();
  await comeBack();
  const expected = ["2", "2", "2"];
  await expect.poll(() => versions(operator, "forced"), rolloutPatience).toEqual(expected);
  await waitForCondition(operator, "forced", "Healthy", "True", 600_000);
});
