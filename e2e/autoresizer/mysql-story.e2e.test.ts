/**
 * Why a new claim has to start as large as its group. A cluster's volumes have grown with its data; one instance is lost
 * together with its volume; the new one has to hold a copy of what the others hold.
 */
import type { Event, PersistentVolumeClaim } from "@moco-ts/kube";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  manifest,
  patience,
  primaryPod,
  startOperatorCluster,
  waitForCondition,
  Writer,
  type OperatorCluster,
} from "../testing/index.ts";
import { template, Volumes } from "../volume/volumes.ts";
import { annotationsOf } from "./cluster.ts";
import { installAutoresizer } from "./install.ts";

const storage = "700Mi";
/** Beyond what the template gives, with what an empty instance has. */
const chunks = 24;
const growing = { storage_limit: "4Gi", threshold: "35%" };
const grouped = { ...growing, "initial-resize-group-by": "app.kubernetes.io/instance" };
const unhurried = { timeout: 900_000 };

let operator: OperatorCluster;
let volumes: Volumes;
let writer: Writer;

beforeAll(async () => {
  operator = await startOperatorCluster({ name: "mysql-story" });
  await installAutoresizer(operator.local);
  await operator.kubectl("annotate", "storageclass", "local-xfs", "resize.topolvm.io/enabled=true");
  volumes = new Volumes(operator, "grown");
});
afterAll(() => operator?.down());

test("data grow beyond the template's size, and volumes with them", unhurried, async () => {
  const options = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "small" } };
  // Else the redo log alone is larger than these volumes.
  await operator.apply({ ...options, data: { innodb_redo_log_capacity: "64M" } });
  const volumeClaimTemplates = [template({ storage, annotations: annotationsOf(grouped) })];
  await operator.apply(
    manifest({ name: "grown", replicas: 3, spec: { mysqlConfigMapName: "small", volumeClaimTemplates } }),
  );
  await waitForCondition(operator, "grown", "Healthy", "True", 300_000);
  writer = await Writer.start(operator, "grown");
  const primary = await primaryPod(operator, "grown");
  await operator.query(primary, "CREATE DATABASE story; CREATE TABLE story.data (id INT PRIMARY KEY, filler LONGBLOB)");
  for (let chunk = 0; chunk < chunks; chunk++) {
    await operator.query(primary, insertion(chunk));
    await expect.poll(leastAvailable, patience).toBeGreaterThan(150);
  }
  const data = "SELECT ROUND(SUM(FILE_SIZE) / 1024 / 1024) FROM information_schema.INNODB_TABLESPACES";
  expect(Number(await operator.query(primary, data))).toBeGreaterThan(Number.parseInt(storage));
  await expect.poll(() => volumes.sizes(), patience).toEqual(allOf("2Gi 2Gi"));
  await waitForCondition(operator, "grown", "Healthy");
});

test(
  "an instance is lost with its volume: the new one starts at the group's size, and gets all rows",
  unhurried,
  async () => {
    await lose(2);
    await expect.poll(() => request(2), patience).toBe("2Gi");
    await waitForCondition(operator, "grown", "Healthy", "True", 300_000);
    expect(await volumes.sizes()).toEqual(allOf("2Gi 2Gi"));
    await hasAllRows("moco-grown-2");
  },
);

test("the operator and the autoresizer don't fight over sizes", unhurried, async () => {
  await waitForCondition(operator, "grown", "VolumesResized");
  const { spec } = await volumes.statefulSet();
  expect(spec?.volumeClaimTemplates?.[0]?.spec?.resources?.requests).toEqual({ storage });
  expect(await volumes.counter("volume_resized_total")).toBe(0);
  expect(await volumes.counter("volume_resized_errors_total")).toBe(0);
  expect(await volumes.counter("statefulset_recreate_total")).toBe(0);
});

test(
  "without the annotation the new volume is too small for a clone, until a person makes it larger",
  unhurried,
  async () => {
    const before = await volumes.statefulSet();
    await volumes.edit(template({ storage, annotations: annotationsOf(growing) }));
    await expect.poll(async () => (await volumes.statefulSet()).metadata?.uid, patience).not.toBe(before.metadata?.uid);
    expect(await volumes.sizes()).toEqual(allOf("2Gi 2Gi"));

    await lose(2);
    await expect.poll(() => request(2), patience).toBe(storage);
    await expect.poll(cloneFailure, patience).toMatch(/Clone from the primary failed for instance 2: .*space/);
    await waitForCondition(operator, "grown", "Healthy", "False");
    // It is nearly empty, so that nobody makes it larger.
    expect(await request(2)).toBe(storage);

    const larger = JSON.stringify({ spec: { resources: { requests: { storage: "2Gi" } } } });
    await operator.kubectl("patch", "pvc", claimName(2), "-p", larger);
    await waitForCondition(operator, "grown", "Healthy", "True", 300_000);
    await hasAllRows("moco-grown-2");
    const { acknowledged, lost } = await writer.stop();
    expect(acknowledged).toBeGreaterThan(1_000);
    expect(lost).toEqual([]);
  },
);

function allOf(size: string): Record<string, string> {
  return Object.fromEntries([0, 1, 2].map((ordinal) => [`mysql-data-${ordinal}`, size]));
}

function claimName(ordinal: number): string {
  return `mysql-data-moco-grown-${ordinal}`;
}

function claimOf(ordinal: number): Promise<PersistentVolumeClaim> {
  return operator.get<PersistentVolumeClaim>("pvc", claimName(ordinal));
}

/** Of the claim that is not being deleted; undefined as long as there is none. */
async function request(ordinal: number): Promise<string | undefined> {
  const { metadata, spec } = await claimOf(ordinal).catch((): PersistentVolumeClaim => ({}));
  return metadata?.deletionTimestamp === undefined ? spec?.resources?.requests?.["storage"] : undefined;
}

/** The Pod and its volume: nothing of it comes back. */
async function lose(ordinal: number): Promise<void> {
  const { metadata } = await claimOf(ordinal);
  await operator.kubectl("delete", "pvc", claimName(ordinal), "--wait=false");
  await operator.kubectl("delete", "pod", `moco-grown-${ordinal}`);
  const uid = () =>
    claimOf(ordinal).then(
      (claim) => claim.metadata?.uid,
      () => undefined,
    );
  await expect.poll(async () => [undefined, metadata?.uid].includes(await uid()), patience).toBe(false);
}

/** 32 MiB, which the binary log has compressed. Sessions of this user commit by hand. */
function insertion(chunk: number): string {
  const numbers = Array.from({ length: 32 }, (_, row) => `ROW(${chunk * 32 + row})`);
  return `INSERT INTO story.data SELECT column_0, REPEAT('x', 1048576) FROM (VALUES ${numbers.join()}) AS numbers; COMMIT`;
}

/** Mebibytes on the fullest volume of the three. */
async function leastAvailable(): Promise<number> {
  const available = async (ordinal: number): Promise<number> => {
    const command = ["df", "--output=avail", "-BM", "/var/lib/mysql"];
    const output = await operator.exec(`moco-grown-${ordinal}`, "mysqld", ...command);
    return Number.parseInt(output.split("\n")[1]!);
  };
  return Math.min(...(await Promise.all([0, 1, 2].map(available))));
}

async function hasAllRows(pod: string): Promise<void> {
  const sum = await operator.query(pod, "SELECT COUNT(*), SUM(LENGTH(filler)) FROM story.data");
  expect(sum).toBe(`${chunks * 32}\t${chunks * 32 * 1048576}`);
}

async function cloneFailure(): Promise<string> {
  const events = await operator.list<Event>("events", "--field-selector", "reason=CloneFailed");
  return events.map(({ message }) => message).join("\n");
}
