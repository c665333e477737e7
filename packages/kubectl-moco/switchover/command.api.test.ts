import { annotationKeys, labelKeys, MySQLClusters, podName } from "@moco-ts/api";
import { Events, Pods } from "@moco-ts/kube";
import { expect, test } from "vitest";
import { createCluster, type TestCluster } from "../testing/cluster.ts";
import { runCommand, startCommand } from "../testing/run.ts";

const { demote, switchoverTo } = annotationKeys;
const patience = { timeout: 60_000 };

test("the primary's Pod is asked to hand over, to anybody or to a certain one", async () => {
  const { namespace, annotations } = await createCluster({ primary: 1 });
  const chosen = await runCommand(["switchover", "test", "--to", "2"], { namespace });
  expect(chosen).toMatchObject({
    code: 0,
    output: `asked instance 1 of MySQLCluster "${namespace}/test" to hand over to instance 2\n`,
  });
  expect(await annotations(1)).toEqual({ [demote]: "true", [switchoverTo]: "2" });

  expect(await runCommand(["switchover", "test"], { namespace })).toMatchObject({ code: 0 });
  expect(await annotations(1)).toEqual({ [demote]: "true" });
  expect(await annotations(0)).toEqual({});
});

test("clusters that can't have another primary", async () => {
  const offline = await createCluster({ spec: { offline: true } });
  expect(await runCommand(["switchover", "test"], offline)).toMatchObject({
    code: 1,
    errors: "error: offline cluster is not able to switch\n",
  });
  const single = await createCluster({ spec: { replicas: 1 } });
  expect(await runCommand(["switchover", "test"], single)).toMatchObject({
    code: 1,
    errors: "error: single-instance cluster is not able to switch\n",
  });
});

test("instances that can't be the primary", async () => {
  const { namespace, client, annotations } = await createCluster({ errant: [1], notReady: [2] });
  const refused = async (to: string) => {
    const { code, errors } = await runCommand(["switchover", "test", "--to", to], { namespace });
    expect(code).toBe(1);
    return errors;
  };
  expect(await refused("3")).toBe("error: there is no instance 3\nIndexes are 0 to 2.\n");
  expect(await refused("0")).toBe("error: instance 0 is the primary already\n");
  expect(await refused("1")).toMatch(
    /instance 1 has transactions that the primary does not have.*\n.*reclone moco-test-1/,
  );
  expect(await refused("2")).toContain("instance 2 is not Ready");
  await client.delete(Pods, { namespace, name: podName("test", 2) }, { gracePeriodSeconds: 0 });
  expect(await refused("2")).toContain("instance 2 of MySQLCluster");
  expect(await annotations(0)).toEqual({});
});

test("with clustering stopped nothing would happen: a warning, or with --wait an error", async () => {
  const { namespace } = await createCluster({ annotations: { [annotationKeys.clusteringStopped]: "true" } });
  expect(await runCommand(["switchover", "test"], { namespace })).toMatchObject({
    code: 0,
    errors: expect.stringContaining("warning: clustering is stopped"),
  });
  expect(await runCommand(["switchover", "test", "--wait"], { namespace })).toMatchObject({
    code: 1,
    errors: expect.stringContaining("To start it: kubectl moco start clustering test"),
  });
});

test("--wait follows until the new primary serves, and tells what the operator tells", async () => {
  const cluster = await createCluster();
  await record(cluster, "OfThePast", "not about this");
  const { command, ended } = await startCommand(["switchover", "test", "--to", "1", "--wait"], cluster);
  await expect.poll(() => cluster.annotations(0), patience).toMatchObject({ [switchoverTo]: "1" });
  await record(cluster, "SwitchOver", "The primary was changed to instance 1 due to a switchover");
  // Events and clusters are watched apart: which of two changes is seen first, nobody knows.
  await expect.poll(() => command.output(), patience).toContain("SwitchOver:");
  await become(cluster, 1);
  expect(await ended).toBe(0);
  expect(command.output()).toMatch(
    /^asked instance 0 of .* to hand over to instance 1\nSwitchOver: The primary was changed to instance 1 due to a switchover\ninstance 1 is the primary \([\d.]+m?s\)\n$/,
  );
});

test("--wait fails if another one became the primary, or nobody did", async () => {
  const other = await createCluster();
  const chosen = await startCommand(["switchover", "test", "--to", "2", "--wait"], other);
  await expect.poll(() => other.annotations(0), patience).toMatchObject({ [switchoverTo]: "2" });
  await become(other, 1);
  expect(await chosen.ended).toBe(1);
  expect(chosen.command.errors()).toContain("it was to be instance 2");

  const none = await createCluster();
  const { command, ended } = await startCommand(["switchover", "test", "--wait"], none);
  await expect.poll(() => none.annotations(0), patience).toEqual({ [demote]: "true" });
  await annotate(none, 0, { [demote]: null });
  expect(await ended).toBe(1);
  expect(command.errors()).toContain("the operator has given the switchover up");
});

test("--wait ends when its time is over, and says how to withdraw", async () => {
  const cluster = await createCluster();
  const { code, errors } = await runCommand(["switchover", "test", "--wait", "--timeout", "500ms"], cluster);
  expect(code).toBe(1);
  expect(errors).toContain("there was no switchover within 500ms");
  expect(errors).toContain(`kubectl annotate pod -n ${cluster.namespace} moco-test-0 ${demote}-`);
});

/** What the operator does at the end of a switchover. */
async function become(cluster: TestCluster, index: number): Promise<void> {
  const { client, namespace } = cluster;
  const key = { namespace, name: "test" };
  await client.patch(
    MySQLClusters,
    key,
    { type: "merge", body: { status: { currentPrimaryIndex: index } } },
    { subresource: "status" },
  );
  await annotate(cluster, 0, { [demote]: null, [switchoverTo]: null });
  const labels = { [labelKeys.role]: "primary" };
  await client.patch(
    Pods,
    { namespace, name: podName("test", index) },
    { type: "merge", body: { metadata: { labels } } },
  );
}

async function annotate({ client, namespace }: TestCluster, index: number, annotations: Record<string, string | null>) {
  const body = { metadata: { annotations } };
  await client.patch(Pods, { namespace, name: podName("test", index) }, { type: "merge", body });
}

async function record({ client, namespace }: TestCluster, reason: string, message: string): Promise<void> {
  await client.create(Events, {
    metadata: { namespace, name: `test.${reason.toLowerCase()}` },
    involvedObject: { apiVersion: "moco.cybozu.com/v1beta2", kind: "MySQLCluster", namespace, name: "test" },
    type: "Normal",
    reason,
    message,
    lastTimestamp: "2026-01-01T00:00:00Z",
  });
}
