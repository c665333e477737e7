import { Pods, StatefulSets } from "@moco-ts/kube";
import { expect, test } from "vitest";
import { mortal } from "./testing/mortal.ts";
import { startProcess } from "./testing/process.ts";
import {
  beginUpdate,
  dataTemplate,
  ownership,
  patience,
  runningCluster,
  setPartition,
  surroundings,
} from "./testing/surroundings.ts";

test("a larger template grows all claims, then the StatefulSet is made anew around its running Pods", async () => {
  const { client, namespace, classes } = await surroundings();
  const cluster = await runningCluster(client, namespace, { volumeClaimTemplates: [dataTemplate(classes.growing)] });
  const [pods, before] = [await cluster.podIdentities(), await cluster.statefulSet()];
  await cluster.edit({ volumeClaimTemplates: [dataTemplate(classes.growing, "2Gi")] });
  const { client: watched, made } = mortal(client);
  const process = await startProcess(watched);
  expect((await process.reconcile(cluster.key)).recreated).toBe(true);
  // Where Kubernetes writes at the same time, a request is made again.
  expect([...new Set(made)]).toEqual([
    "patch PersistentVolumeClaim",
    "rehearse create StatefulSet",
    "create ControllerRevision",
    "delete StatefulSet",
    "create StatefulSet",
    "patch StatefulSet managedFields",
    "delete ControllerRevision",
  ]);
  const after = await cluster.settled();
  expect(after.metadata?.uid).not.toBe(before.metadata?.uid);
  expect(after.metadata!.generation).toBe(1);
  expect(after.spec?.volumeClaimTemplates?.[0]?.spec?.resources?.requests).toEqual({ storage: "2Gi" });
  expect(ownership(after)).toEqual(ownership(before));
  expect(await cluster.podIdentities()).toEqual(pods);
  expect(await cluster.sizes()).toEqual(["2Gi", "2Gi", "2Gi"]);
  expect(await cluster.records()).toBe(0);
  expect(await process.counter("volume_resized_total", cluster.key)).toBe(1);
  expect(await process.counter("statefulset_recreate_total", cluster.key)).toBe(1);

  made.length = 0;
  expect((await process.reconcile(cluster.key)).recreated).toBe(false);
  expect(made).toEqual([]);
});

test("a template of which nothing but labels and annotations changed", async () => {
  const { client, namespace, classes } = await surroundings();
  const cluster = await runningCluster(client, namespace, { volumeClaimTemplates: [dataTemplate(classes.growing)] });
  const [pods, before] = [await cluster.podIdentities(), await cluster.statefulSet()];
  const claims = await cluster.claims();
  const metadata = { labels: { team: "a" }, annotations: { note: "b" } };
  await cluster.edit({ volumeClaimTemplates: [dataTemplate(classes.growing, "1Gi", metadata)] });
  const process = await startProcess(client);
  expect((await process.reconcile(cluster.key)).recreated).toBe(true);
  const after = await cluster.settled();
  expect(after.metadata?.uid).not.toBe(before.metadata?.uid);
  expect(after.spec?.volumeClaimTemplates?.[0]?.metadata).toMatchObject(metadata);
  expect(await cluster.podIdentities()).toEqual(pods);
  // Metadata of claims may be somebody else's: it is left alone.
  const versions = (each: typeof claims) =>
    each.map(({ metadata: { name, resourceVersion } = {} }) => [name, resourceVersion]);
  expect(versions(await cluster.claims())).toEqual(versions(claims));
  expect(await process.counter("volume_resized_total", cluster.key)).toBe(0);
  expect(await process.counter("statefulset_recreate_total", cluster.key)).toBe(1);
});

test("what others have set in the StatefulSet stays, and stays theirs", async () => {
  const { client, namespace, classes } = await surroundings();
  const cluster = await runningCluster(client, namespace, { volumeClaimTemplates: [dataTemplate(classes.growing)] });
  const key = { namespace, name: "moco-c" };
  await setPartition(cluster, 3);
  const restartedAt = { annotations: { "kubectl.kubernetes.io/restartedAt": "now" } };
  const body = {
    metadata: { annotations: { theirs: "yes" } },
    spec: { minReadySeconds: 1, template: { metadata: restartedAt } },
  };
  await client.patch(StatefulSets, key, { type: "strategic", body }, { fieldManager: "kubectl-rollout" });
  const before = await cluster.settled();
  const pods = await cluster.podIdentities();
  await cluster.edit({ volumeClaimTemplates: [dataTemplate(classes.growing, "2Gi")] });
  const process = await startProcess(client);
  expect((await process.reconcile(cluster.key)).recreated).toBe(true);
  const after = await cluster.settled();
  const { volumeClaimTemplates: _, ...spec } = after.spec!;
  expect({ ...spec, volumeClaimTemplates: before.spec!.volumeClaimTemplates }).toEqual(before.spec);
  expect(after.metadata!.annotations).toEqual(before.metadata!.annotations);
  expect(new Set(ownership(after))).toEqual(new Set(ownership(before)));
  expect(await cluster.podIdentities()).toEqual(pods);
});

test("in the middle of a rolling update, Pods that are not updated yet come back as they were", async () => {
  const { client, namespace, classes } = await surroundings();
  const cluster = await runningCluster(client, namespace, { volumeClaimTemplates: [dataTemplate(classes.growing)] });
  const old = (await cluster.statefulSet()).status!.updateRevision;
  await beginUpdate(cluster);
  const before = await cluster.settled();
  const pods = await cluster.podIdentities();
  expect(before.status).toMatchObject({ currentRevision: old, currentReplicas: 2, updatedReplicas: 1 });

  await cluster.edit({ volumeClaimTemplates: [dataTemplate(classes.growing, "2Gi")] });
  const process = await startProcess(client);
  expect((await process.reconcile(cluster.key)).recreated).toBe(true);
  const after = await cluster.settled();
  expect(after.spec!.template).toEqual(before.spec!.template);
  expect(after.spec!.updateStrategy).toEqual(before.spec!.updateStrategy);
  expect(ownership(after)).toEqual(ownership(before));
  expect(after.status!.updateRevision).toBe(before.status!.updateRevision);
  expect(await cluster.podIdentities()).toEqual(pods);

  await client.delete(Pods, { namespace, name: "moco-c-0" });
  const revisions = async () => (await cluster.podIdentities()).map((each) => each.split(" ")[2]);
  const come = async () => (await cluster.pods()).filter(({ metadata }) => !metadata?.deletionTimestamp).length;
  await expect.poll(come, patience).toBe(3);
  expect(await revisions()).toEqual([old, old, before.status!.updateRevision]);
});
