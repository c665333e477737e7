import { Pods } from "@moco-ts/kube";
import { expect, test } from "vitest";
import { createCluster } from "../testing/cluster.ts";
import { runCommand } from "../testing/run.ts";

test("an instance that there is not", async () => {
  const { namespace } = await createCluster();
  expect(await runCommand(["mysql", "test", "--index", "3"], { namespace })).toMatchObject({
    code: 1,
    errors: "error: index should be smaller than replicas\nThere are 3.\n",
  });
  expect(await runCommand(["mysql", "test", "--index", "-2"], { namespace })).toMatchObject({ code: 2 });
});

test("a user who has no options file", async () => {
  expect(await runCommand(["mysql", "test", "-u", "root"])).toMatchObject({
    code: 2,
    errors: "error: invalid user: root\n",
  });
});

test("a cluster that is offline", async () => {
  const { namespace } = await createCluster({ spec: { offline: true } });
  const { code, errors } = await runCommand(["mysql", "test"], { namespace });
  expect(code).toBe(1);
  expect(errors).toMatch(/is offline: no instance runs\nTo bring it back: kubectl patch mysqlcluster test/);
});

test("a Pod that is not there, or in which nothing runs", async () => {
  const { client, namespace } = await createCluster({ primary: 1 });
  const refused = () => runCommand(["mysql", "test", "--", "-e", "SELECT 1"], { namespace });
  const text = `error: mysql can't be run in the Pod "${namespace}/moco-test-1": `;
  const advice = "\nSee kubectl moco status for how the cluster is.\n";
  expect(await refused()).toMatchObject({
    code: 1,
    errors: `${text}pod moco-test-1 does not have a host assigned${advice}`,
  });
  await client.delete(Pods, { namespace, name: "moco-test-1" }, { gracePeriodSeconds: 0 });
  expect(await refused()).toMatchObject({ code: 1, errors: `${text}pods "moco-test-1" not found${advice}` });
});

test("a terminal that is none is told of", async () => {
  const { namespace } = await createCluster();
  expect((await runCommand(["mysql", "-it", "test"], { namespace })).errors).toContain("Unable to use a TTY");
});
