/** Volumes that have to grow at the worst moment. */
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  manifest,
  mysqldContainer,
  patience,
  podsOf,
  startOperatorCluster,
  waitForCondition,
  Writer,
  type OperatorCluster,
} from "../testing/index.ts";
import { comesBack, edit, killControllers, running } from "./recreation.ts";
import { template, Volumes } from "./volumes.ts";

let operator: OperatorCluster;

beforeAll(async () => {
  operator = await startOperatorCluster({ name: "hardship" });
});
afterAll(() => operator?.down());

test("a full disk and a database that is down: the volume grows, and writes go on", async () => {
  await operator.apply(manifest({ name: "full", spec: { volumeClaimTemplates: [template({ storage: "3Gi" })] } }));
  await waitForCondition(operator, "full", "Healthy");
  const volumes = new Volumes(operator, "full");
  const writer = await Writer.start(operator, "full");
  const pod = { namespace: "default", name: "moco-full-0" };
  await operator.local.faults.fillVolume(
    { claim: { namespace: "default", name: "mysql-data-moco-full-0" } },
    { percent: 100 },
  );
  const full = Date.now();
  const isQuiet = async (): Promise<boolean> => {
    const last = (await writer.lines()).findLast(({ acknowledged }) => acknowledged)!.at;
    return Date.now() - Math.max(last, full) > 5_000;
  };
  await expect.poll(isQuiet, patience).toBe(true);
  // It may have ended by itself.
  await operator.local.faults.kill({ ...pod, container: "mysqld", process: "mysqld" }).catch(() => undefined);
  await waitForCondition(operator, "full", "Available", "False");

  const since = Date.now();
  await volumes.edit(template({ storage: "5Gi" }));
  await waitForCondition(operator, "full", "VolumesResized");
  expect(await volumes.sizes()).toEqual({ "mysql-data-0": "5Gi 5Gi" });
  await writer.writesAgain(since);
  await waitForCondition(operator, "full", "Healthy");
  const { acknowledged, lost, pauses } = await writer.stop();
  console.info(`full disk: ${acknowledged} rows acknowledged, longest pause ${pauses[0]} ms`);
  expect(lost).toEqual([]);
  await operator.kubectl("delete", "mysqlcluster", "full");
});

test("while a rolling update has stopped: volumes grow, Pods stay, and one that is lost comes back as it was", async () => {
  await operator.apply(
    manifest({ name: "three", replicas: 3, spec: { volumeClaimTemplates: [template({ storage: "6Gi" })] } }),
  );
  await waitForCondition(operator, "three", "Healthy");
  const volumes = new Volumes(operator, "three");
  const writer = await Writer.start(operator, "three");
  const [old] = await revisions();
  const broken = { podTemplate: { spec: { containers: [mysqldContainer("localhost/moco-ts/no-such-image:dev")] } } };
  await operator.kubectl("patch", "mysqlcluster", "three", "--type=merge", "-p", JSON.stringify({ spec: broken }));
  await expect.poll(revisions, patience).toEqual([old, old, expect.not.stringMatching(old!) as string]);

  const [pods, before] = [await volumes.podIdentities(), await volumes.statefulSet()];
  await volumes.edit(template({ storage: "7Gi" }));
  await expect.poll(async () => (await volumes.statefulSet()).metadata?.uid, patience).not.toBe(before.metadata?.uid);
  const { metadata } = await volumes.statefulSet();
  await expect.poll(() => volumes.podOwners(), patience).toEqual([metadata?.uid]);
  expect(await volumes.podIdentities()).toEqual(pods);
  const sizes = async () => (await volumes.claims()).map(({ spec }) => spec?.resources?.requests?.["storage"]);
  expect(await sizes()).toEqual(["7Gi", "7Gi", "7Gi"]);

  await operator.kubectl("delete", "pod", "moco-three-1");
  await expect.poll(async () => (await revisions()).length, patience).toBe(3);
  expect((await revisions())[1]).toBe(old);
  const mended = { podTemplate: { spec: { containers: [mysqldContainer()] } } };
  await operator.kubectl("patch", "mysqlcluster", "three", "--type=merge", "-p", JSON.stringify({ spec: mended }));
  await waitForCondition(operator, "three", "Healthy", "True", 280_000);
  const { acknowledged, lost, pauses } = await writer.stop();
  console.info(`stopped update: ${acknowledged} rows acknowledged, longest pauses ${pauses.slice(0, 3).join(", ")} ms`);
  expect(lost).toEqual([]);
});

test("all controllers are killed while the StatefulSet is gone: it comes back, and no Pod restarts", async () => {
  const volumes = await running(operator, "sturdy");
  const pods = await volumes.podIdentities();
  const before = await volumes.statefulSet();
  // Without the garbage collector a deletion takes as long as we want.
  operator.local.controllerManager.freeze();
  await volumes.edit(template({ storage: "4Gi" }));
  const isDeleted = async () => (await volumes.statefulSet()).metadata?.deletionTimestamp;
  await expect.poll(isDeleted, patience).toBeDefined();
  await killControllers(operator);
  operator.local.controllerManager.thaw();
  const isThere = () =>
    volumes.statefulSet().then(
      ({ metadata }) => metadata?.uid,
      () => "missing",
    );
  await expect.poll(isThere, { ...patience, interval: 100 }).toBe("missing");
  expect(await volumes.podIdentities()).toEqual(pods);
  await comesBack(operator, volumes, before.metadata?.uid);
  expect(await volumes.podIdentities()).toEqual(pods);
});

test("the API server is killed in the middle of it", async () => {
  const volumes = new Volumes(operator, "sturdy");
  const pods = await volumes.podIdentities();
  for (const delay of [0, 300, 1_000]) {
    await waitForCondition(operator, "sturdy", "ReconcileSuccess");
    const before = await volumes.statefulSet();
    await edit(volumes, { storage: "5Gi", annotations: { delay: String(delay) } });
    await new Promise((resolve) => setTimeout(resolve, delay));
    await operator.local.apiServer.restart("SIGKILL");
    await comesBack(operator, volumes, before.metadata?.uid);
    expect(await volumes.podIdentities()).toEqual(pods);
  }
});

/** Of all Pods that exist, by ordinal. */
async function revisions(): Promise<(string | undefined)[]> {
  const pods = await podsOf(operator, "three");
  return pods
    .filter(({ metadata }) => metadata?.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata?.labels?.["controller-revision-hash"]);
}
