/** Volumes of clusters that run, as their users change them. */
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  conditionOf,
  manifest,
  patience,
  startedPods,
  startOperatorCluster,
  waitForCondition,
  Writer,
  type OperatorCluster,
} from "../testing/index.ts";
import { template, Volumes } from "./volumes.ts";

let operator: OperatorCluster;

beforeAll(async () => {
  const flags = ["--pvc-sync-label-keys=team", "--pvc-sync-annotation-keys=contact"];
  operator = await startOperatorCluster({ name: "volumes", flags });
});
afterAll(() => operator?.down());

test("when the size is extended, all claims are resized, then the StatefulSet is made anew; nobody notices", async () => {
  await operator.apply(
    manifest({ name: "three", replicas: 3, spec: { volumeClaimTemplates: [template({ storage: "6Gi" })] } }),
  );
  await waitForCondition(operator, "three", "Healthy");
  const volumes = new Volumes(operator, "three");
  const writer = await Writer.start(operator, "three");
  const [pods, before] = [await volumes.podIdentities(), await volumes.statefulSet()];

  await volumes.edit(template({ storage: "7Gi" }));
  const grown = { "mysql-data-0": "7Gi 7Gi", "mysql-data-1": "7Gi 7Gi", "mysql-data-2": "7Gi 7Gi" };
  await expect.poll(() => volumes.sizes(), patience).toEqual(grown);
  await waitForCondition(operator, "three", "VolumesResized");
  await recreated(volumes, before.metadata?.uid);
  for (const ordinal of [0, 1, 2]) expect(await volumes.fileSystem(ordinal)).toBe(7);
  expect(await volumes.podIdentities()).toEqual(pods);
  expect(await volumes.counter("volume_resized_total")).toBe(1);
  expect(await volumes.counter("volume_resized_errors_total")).toBe(0);
  expect(await volumes.counter("statefulset_recreate_total")).toBe(1);
  expect(await volumes.counter("statefulset_recreate_errors_total")).toBe(0);
  await expect.poll(() => volumes.events(), patience).toContain("Normal StatefulSetRecreated");

  const { acknowledged, lost, pauses } = await writer.stop();
  console.info(`growth: ${acknowledged} rows acknowledged, longest pauses ${pauses.slice(0, 3).join(", ")} ms`);
  expect(lost).toEqual([]);
  // Nothing makes writers wait for as long as a restart: the rest is a busy machine's own breath.
  expect(pauses[0]).toBeLessThan(10_000);
});

test("labels and annotations of a template: the StatefulSet is made anew, claims get only what the flags name", async () => {
  const volumes = new Volumes(operator, "three");
  const [pods, before] = [await volumes.podIdentities(), await volumes.statefulSet()];
  const given = { labels: { team: "a", other: "x" }, annotations: { contact: "b", note: "y" } };
  await volumes.edit(template({ storage: "7Gi", ...given }));
  await recreated(volumes, before.metadata?.uid);
  const metadata = (await volumes.statefulSet()).spec?.volumeClaimTemplates?.[0]?.metadata;
  expect(metadata).toMatchObject(given);
  expect(await volumes.podIdentities()).toEqual(pods);
  const copied = async () =>
    (await volumes.claims()).map(({ metadata: { labels = {}, annotations = {} } = {} }) => [
      labels["team"],
      labels["other"],
      annotations["contact"],
      annotations["note"],
    ]);
  await expect.poll(copied, patience).toEqual(Array.from({ length: 3 }, () => ["a", undefined, "b", undefined]));
  expect(await volumes.counter("volume_resized_total")).toBe(1);
  expect(await volumes.counter("statefulset_recreate_total")).toBe(2);
});

test("a reduction is refused, with a text that says what one can do; volumes that exist keep their size", async () => {
  const volumes = new Volumes(operator, "three");
  const before = await volumes.statefulSet();
  const refusal =
    /storage of volume claim template mysql-data can only grow: 6Gi is less than 7Gi. With the annotation/;
  await expect(volumes.edit(template({ storage: "6Gi" }))).rejects.toThrow(refusal);
  await operator.kubectl("annotate", "mysqlcluster", "three", "moco.cybozu.com/allow-volume-reduction=true");
  await volumes.edit(template({ storage: "6Gi" }));
  await recreated(volumes, before.metadata?.uid);
  const resources = (await volumes.statefulSet()).spec?.volumeClaimTemplates?.[0]?.spec?.resources;
  expect(resources?.requests).toEqual({ storage: "6Gi" });
  expect(Object.values(await volumes.sizes())).toEqual(Array(3).fill("7Gi 7Gi"));
  expect((await conditionOf(operator, "three", "VolumesResized"))?.status).toBe("True");
  await operator.kubectl("delete", "mysqlcluster", "three");
});

test("several clusters with several templates; a volume that an autoresizer has made larger is left alone", async () => {
  const templates = (data: string, scratch: string) => [
    template({ storage: data }),
    template({ name: "scratch", storage: scratch }),
  ];
  const clusters = ["one", "two"].map((name) => new Volumes(operator, name));
  for (const { cluster: name } of clusters) {
    await operator.apply(manifest({ name, spec: { volumeClaimTemplates: templates("3Gi", "1Gi") } }));
  }
  for (const { cluster: name } of clusters) await expect.poll(() => startedPods(operator, name), patience).toBe(1);
  const larger = JSON.stringify({ spec: { resources: { requests: { storage: "5Gi" } } } });
  await operator.kubectl("patch", "pvc", "scratch-moco-two-0", "-p", larger);
  const before = await Promise.all(clusters.map((volumes) => volumes.statefulSet()));
  for (const volumes of clusters) await volumes.edit(...templates("4Gi", "2Gi"));
  await expect
    .poll(() => clusters[0]!.sizes(), patience)
    .toEqual({ "mysql-data-0": "4Gi 4Gi", "scratch-0": "2Gi 2Gi" });
  await expect
    .poll(() => clusters[1]!.sizes(), patience)
    .toEqual({ "mysql-data-0": "4Gi 4Gi", "scratch-0": "5Gi 5Gi" });
  for (const [index, volumes] of clusters.entries()) await recreated(volumes, before[index]?.metadata?.uid);
  for (const { cluster } of clusters) await operator.kubectl("delete", "mysqlcluster", cluster);
});

test("a StorageClass without expansion: refused at admission, or skipped with a condition and an event", async () => {
  const fixed = template({ storage: "3Gi", storageClassName: "local-xfs-fixed" });
  await operator.apply(manifest({ name: "fixed", spec: { volumeClaimTemplates: [fixed] } }));
  await expect.poll(() => startedPods(operator, "fixed"), patience).toBe(1);
  const volumes = new Volumes(operator, "fixed");
  await expect(volumes.edit(template({ storage: "4Gi", storageClassName: "local-xfs-fixed" }))).rejects.toThrow(
    'storage class "local-xfs-fixed" is not allowed to expand volume',
  );
  const before = await volumes.statefulSet();
  await volumes.edit(template({ storage: "4Gi", storageClassName: "local-xfs" }));
  await expect
    .poll(() => conditionOf(operator, "fixed", "VolumesResized"), patience)
    .toMatchObject({ status: "False", reason: "ExpansionNotAllowed" });
  await expect.poll(() => volumes.events(), patience).toContain("Warning ExpansionNotAllowed");
  await recreated(volumes, before.metadata?.uid);
  expect(await volumes.sizes()).toEqual({ "mysql-data-0": "3Gi 3Gi" });
  expect(await volumes.counter("volume_resized_errors_total")).toBe(0);
  await operator.kubectl("delete", "mysqlcluster", "fixed");
});

test("a volume that can't grow under a Pod: the condition tells to restart it, and nobody but the user does", async () => {
  const offline = (storage: string) => template({ storage, storageClassName: "local-xfs-offline" });
  await operator.apply(manifest({ name: "offline", spec: { volumeClaimTemplates: [offline("3Gi")] } }));
  await expect.poll(() => startedPods(operator, "offline"), patience).toBe(1);
  const volumes = new Volumes(operator, "offline");
  const pods = await volumes.podIdentities();
  await volumes.edit(offline("4Gi"));
  await expect
    .poll(() => conditionOf(operator, "offline", "VolumesResized"), patience)
    .toMatchObject({
      status: "False",
      reason: "FileSystemResizePending",
      message: expect.stringContaining("kubectl delete pod moco-offline-0") as string,
    });
  await expect.poll(() => volumes.events(), patience).toContain("Warning FileSystemResizePending");
  expect(await volumes.podIdentities()).toEqual(pods);
  expect(await volumes.fileSystem(0)).toBe(3);
  await operator.kubectl("delete", "pod", "moco-offline-0");
  await waitForCondition(operator, "offline", "VolumesResized");
  await expect.poll(() => volumes.fileSystem(0).catch(() => "not there yet"), patience).toBe(4);
});

/** Waits until another StatefulSet has all the Pods. */
async function recreated(volumes: Volumes, before: string | undefined): Promise<void> {
  await expect.poll(async () => (await volumes.statefulSet()).metadata?.uid, patience).not.toBe(before);
  const { metadata } = await volumes.statefulSet();
  await expect.poll(() => volumes.podOwners(), patience).toEqual([metadata?.uid]);
}
