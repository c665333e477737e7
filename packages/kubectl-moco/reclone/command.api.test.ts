import { annotationKeys } from "@moco-ts/api";
import { Pods } from "@moco-ts/kube";
import { expect, test } from "vitest";
import { createCluster } from "../testing/cluster.ts";
import { runCommand } from "../testing/run.ts";

const reclone = { [annotationKeys.reclone]: "true" };

test("a replica is named by its Pod or by its index", async () => {
  const { namespace, annotations } = await createCluster();
  expect(await runCommand(["reclone", "moco-test-1", "--yes"], { namespace })).toEqual({
    code: 0,
    output: `asked for the re-initialisation of instance 1 of MySQLCluster "${namespace}/test"\n`,
    errors: "",
  });
  expect(await annotations(1)).toEqual(reclone);
  expect(await runCommand(["reclone", "test", "--index", "2", "-y"], { namespace })).toMatchObject({ code: 0 });
  expect(await annotations(2)).toEqual(reclone);
  expect(await runCommand(["reclone", "moco-test-2"], { namespace })).toMatchObject({
    code: 0,
    output: expect.stringContaining("is to be re-initialised already"),
  });
});

test("a person is asked before data are deleted", async () => {
  const { namespace, annotations } = await createCluster();
  const answer = (typed: string) => runCommand(["reclone", "moco-test-1"], { namespace, typed });
  const no = await answer("\n");
  expect(no).toMatchObject({ code: 1, errors: "error: nothing was done\n" });
  expect(no.output).toContain(`All data of instance 1 of MySQLCluster "${namespace}/test" will be deleted`);
  expect(await annotations(1)).toEqual({});
  expect(await answer("yes\n")).toMatchObject({ code: 0 });
  expect(await annotations(1)).toEqual(reclone);
});

test("where nobody can be asked, --yes is needed", async () => {
  const { namespace, annotations } = await createCluster();
  expect(await runCommand(["reclone", "moco-test-1"], { namespace })).toMatchObject({
    code: 2,
    errors: "error: nobody can be asked for confirmation here\nAdd --yes if you are sure.\n",
  });
  expect(await annotations(1)).toEqual({});
});

test("the primary keeps its data, whoever says that it is the primary", async () => {
  const { namespace, client, annotations } = await createCluster({ primary: 1 });
  const refusal = (index: number) =>
    `error: instance ${index} is the primary: the others' data are copies of its own\n` +
    "Make another instance the primary first: kubectl moco switchover test --wait\n";
  expect(await runCommand(["reclone", "moco-test-1", "--yes"], { namespace })).toMatchObject({
    code: 1,
    errors: refusal(1),
  });
  const labels = { "moco.cybozu.com/role": "primary" };
  await client.patch(Pods, { namespace, name: "moco-test-2" }, { type: "merge", body: { metadata: { labels } } });
  expect(await runCommand(["reclone", "moco-test-2", "--yes"], { namespace })).toMatchObject({
    code: 1,
    errors: refusal(2),
  });
  expect(await annotations(1)).toEqual({});
});

test("what can't be re-initialised", async () => {
  const alone = await createCluster({ notReady: [0, 2] });
  const errorsOf = async (args: string[], { namespace } = alone) => {
    const { code, errors } = await runCommand(["reclone", ...args, "--yes"], { namespace });
    expect(code).toBe(1);
    return errors;
  };
  expect(await errorsOf(["moco-test-1"])).toContain("no other instance is Ready");
  expect(await errorsOf(["test", "--index", "5"])).toContain("there is no instance 5");
  expect(await errorsOf(["test"])).toMatch(
    /the Pod ".*\/test" is not there\nIf "test" is a MySQLCluster, name the instance/,
  );

  const containers = [{ name: "web", image: "web:1" }];
  await alone.client.create(Pods, { metadata: { namespace: alone.namespace, name: "web-0" }, spec: { containers } });
  expect(await errorsOf(["web-0"])).toContain("is no instance of a MySQLCluster");

  const stopped = await createCluster({ annotations: { [annotationKeys.clusteringStopped]: "true" } });
  expect(await errorsOf(["moco-test-1"], stopped)).toContain("clustering is stopped");
  const offline = await createCluster({ spec: { offline: true } });
  expect(await errorsOf(["test", "--index", "1"], offline)).toContain("the cluster is offline");
});
