import { afterAll, beforeAll, expect, test } from "vitest";
import { manifest, patience, startedPods, startOperatorCluster, type OperatorCluster } from "../testing/index.ts";
import { template, Volumes } from "./volumes.ts";

let operator: OperatorCluster;

beforeAll(async () => {
  operator = await startOperatorCluster({ name: "volume-smoke" });
});
afterAll(() => operator?.down());

test("a larger volume: the file system of the running mysqld grows, and nothing restarts", async () => {
  await operator.apply(manifest({ name: "one", spec: { volumeClaimTemplates: [template({ storage: "3Gi" })] } }));
  await expect.poll(() => startedPods(operator, "one"), patience).toBe(1);
  const volumes = new Volumes(operator, "one");
  const [pods, before] = [await volumes.podIdentities(), await volumes.statefulSet()];
  expect(await volumes.fileSystem(0)).toBe(3);
  await volumes.edit(template({ storage: "4Gi" }));
  await expect.poll(() => volumes.sizes(), patience).toEqual({ "mysql-data-0": "4Gi 4Gi" });
  await expect.poll(() => volumes.fileSystem(0), patience).toBe(4);
  await expect.poll(async () => (await volumes.statefulSet()).metadata?.uid, patience).not.toBe(before.metadata?.uid);
  const { metadata, spec } = await volumes.statefulSet();
  expect(spec?.volumeClaimTemplates?.[0]?.spec?.resources?.requests).toEqual({ storage: "4Gi" });
  await expect.poll(() => volumes.podOwners(), patience).toEqual([metadata?.uid]);
  expect(await volumes.podIdentities()).toEqual(pods);
});
