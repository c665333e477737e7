import { annotationKeys, MySQLClusters } from "@moco-ts/api";
import { expect, test } from "vitest";
import { createCluster } from "../testing/cluster.ts";
import { runCommand } from "../testing/run.ts";

test.each([
  ["clustering", annotationKeys.clusteringStopped],
  ["reconciliation", annotationKeys.reconciliationStopped],
])("%s is stopped and started, each once", async (activity, key) => {
  const { client, namespace } = await createCluster({ annotations: { other: "kept" } });
  const annotations = async () =>
    (await client.get(MySQLClusters, { namespace, name: "test" })).metadata.annotations ?? {};
  const say = (verb: string) => runCommand([verb, activity, "test"], { namespace });
  const told = (output: string) => ({ code: 0, output: `${output}\n`, errors: "" });

  expect(await say("start")).toEqual(told(`The ${activity} is already running.`));
  expect(await say("stop")).toEqual(told(`stopped ${activity} of MySQLCluster "${namespace}/test"`));
  expect(await annotations()).toEqual({ other: "kept", [key]: "true" });
  expect(await say("stop")).toEqual(told(`The ${activity} is already stopped.`));
  expect(await say("start")).toEqual(told(`started ${activity} of MySQLCluster "${namespace}/test"`));
  expect(await annotations()).toEqual({ other: "kept" });
});
