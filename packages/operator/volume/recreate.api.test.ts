import { claimTemplate } from "@moco-ts/api/testing";
import { expect, test } from "vitest";
import { mortal } from "./testing/mortal.ts";
import { startProcess } from "./testing/process.ts";
import {
  editTemplates,
  podIdentities,
  recordsOf,
  runningCluster,
  settled,
  sizesOf,
  statefulSetOf,
  surroundings,
} from "./testing/surroundings.ts";

test("a larger template grows all claims, then the StatefulSet is made anew around its running Pods", async () => {
  const { client, namespace, classes } = await surroundings();
  const { key } = await runningCluster(client, namespace, classes.growing);
  const pods = await podIdentities(client, namespace);
  const before = await statefulSetOf(client, namespace);
  await editTemplates(client, namespace, [claimTemplate("mysql-data", "2Gi", classes.growing)]);
  const { client: watched, made } = mortal(client);
  const process = await startProcess(watched);
  expect((await process.reconcile(key)).recreated).toBe(true);
  expect(made).toEqual([
    "patch PersistentVolumeClaim",
    "patch PersistentVolumeClaim",
    "patch PersistentVolumeClaim",
    "rehearse create StatefulSet",
    "create ControllerRevision",
    "delete StatefulSet",
    "create StatefulSet",
    "patch StatefulSet",
    "delete ControllerRevision",
  ]);
  const after = await settled(client, namespace);
  expect(after.metadata?.uid).not.toBe(before.metadata?.uid);
  expect(await podIdentities(client, namespace)).toEqual(pods);
  expect(Object.values(await sizesOf(client, namespace))).toEqual(["2Gi", "2Gi", "2Gi"]);
  expect(await recordsOf(client, namespace)).toEqual([]);
  const owners = (set: typeof after) =>
    set.metadata!.managedFields!.filter(({ subresource }) => !subresource).map(({ time: _, ...entry }) => entry);
  expect(owners(after)).toEqual(owners(before));
  expect(after.metadata!.generation).toBe(1);
  expect(await process.counter("volume_resized_total", key)).toBe(1);
  expect(await process.counter("statefulset_recreate_total", key)).toBe(1);

  made.length = 0;
  expect((await process.reconcile(key)).recreated).toBe(false);
  expect(made).toEqual([]);
});
