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

test("a Pod in which nothing runs", async () => {
  const { namespace } = await createCluster({ primary: 1 });
  const { code, errors } = await runCommand(["mysql", "test", "--", "-e", "SELECT 1"], { namespace });
  expect(code).toBe(1);
  expect(errors).toContain(`the Pod "${namespace}/moco-test-1" is not there, or mysqld does not run in it`);
});

test("a terminal that is none is told of", async () => {
  const { namespace } = await createCluster();
  expect((await runCommand(["mysql", "-it", "test"], { namespace })).errors).toContain("Unable to use a TTY");
});
