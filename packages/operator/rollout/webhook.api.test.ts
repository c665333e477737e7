/** What the webhook does for StatefulSets, whoever changes them. */
import { kubectl } from "@moco-ts/api/testing";
import { StatefulSets, type StatefulSet } from "@moco-ts/kube";
import { expect, test } from "vitest";
import { testAdmission } from "../testing/admission.ts";
import { createWorld, patience, unhurried } from "./testing/world.ts";

test("a person who restarts the pods with kubectl gets the same rollout", unhurried, async () => {
  const { world } = await createWorld({ webhook: true });
  await expect.poll(() => world.partitionUpdates(), patience).toEqual(["3 -> 0"]);
  const body = { spec: { template: { metadata: { annotations: { version: "by hand" } } } } };
  const { spec } = await world.client.patch(StatefulSets, world.statefulSetKey, { type: "strategic", body });
  expect(spec?.updateStrategy?.rollingUpdate?.partition).toBe(3);
  await world.rolledOut("by hand", 3);
  expect(world.kubelet.mostDown()).toBe(1);
  expect(world.clustering.switchovers).toHaveLength(1);
});

test("a person holds a rollout by stopping reconciliation, and lets it go on step by step", unhurried, async () => {
  const { world } = await createWorld({ webhook: true });
  await world.annotate("reconciliationStopped", "true");
  const { namespace, name } = world.statefulSetKey;
  await kubectl(["rollout", "restart", "statefulset", name, "-n", namespace]);
  const held = "False RollingOut 0 of 3 pods are updated: reconciliation is stopped by annotation";
  await expect.poll(() => world.told(), patience).toBe(held);
  await world.setPartition(2);
  const first = "partitioned roll out complete: 1 new pods have been updated...";
  await expect.poll(() => world.rolloutStatus(), patience).toBe(first);
  expect(await world.partition()).toBe(2);
  await world.annotate("reconciliationStopped", null);
  await world.rolledOut("-", 3);
  expect(await world.rolloutStatus()).toBe("partitioned roll out complete: 3 new pods have been updated...");
});

test("the force annotation reaches the StatefulSet, and its removal does", unhurried, async () => {
  const { world } = await createWorld({ webhook: true });
  const seen = async () => {
    const { metadata, spec } = await world.statefulSet();
    return [metadata?.annotations?.["moco.cybozu.com/force-rolling-update"], spec?.updateStrategy?.rollingUpdate];
  };
  await world.clustering.overrule(false);
  await world.editTemplate("2");
  await expect.poll(seen, patience).toEqual([undefined, { partition: 3 }]);
  await world.annotate("forceRollingUpdate", "true");
  await expect.poll(seen, patience).toEqual(["true", undefined]);
  await expect.poll(() => world.versions(), patience).toEqual(["2", "2", "2"]);
  await world.annotate("forceRollingUpdate", null);
  await expect.poll(seen, patience).toEqual([undefined, { partition: 0 }]);
  await world.editTemplate("3");
  await expect.poll(seen, patience).toEqual([undefined, { partition: 3 }]);
  await world.clustering.overrule(undefined);
  await world.rolledOut("3", 3);
});

test("StatefulSets that no MySQLCluster controls are left alone", async () => {
  const { client, namespace, start } = await testAdmission();
  await start();
  const labels = { "app.kubernetes.io/created-by": "moco" };
  const object: StatefulSet = {
    metadata: { name: "theirs", namespace, labels },
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "a", image: "b" }] } },
    },
  };
  const { spec } = await client.create(StatefulSets, object, { dryRun: true });
  expect(spec?.updateStrategy?.rollingUpdate?.partition).toBe(0);
  const uid = "00000000-0000-4000-8000-000000000001";
  const owner = { apiVersion: "moco.cybozu.com/v1beta2", kind: "MySQLCluster", name: "c", uid, controller: true };
  const owned = { ...object, metadata: { ...object.metadata, ownerReferences: [owner] } };
  const guarded = await client.create(StatefulSets, owned, { dryRun: true });
  expect(guarded.spec?.updateStrategy?.rollingUpdate?.partition).toBe(3);
});
