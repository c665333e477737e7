import { afterAll, beforeAll, expect, test } from "vitest";
import { PersistentVolumeClaims } from "@moco-ts/kube";
import { claim } from "../ground/storage.ts";
import { annotationsOf, patience, startAutoresizerCluster, type AutoresizerCluster } from "./cluster.ts";

let cluster: AutoresizerCluster;

beforeAll(async () => {
  cluster = await startAutoresizerCluster({ name: "autoresizer-smoke" });
});

afterAll(() => cluster?.down());

test("a volume grows before it is full, and a new claim of its group starts with its size", async () => {
  await cluster.createUser({ name: "data", annotations: { storage_limit: "1Gi", threshold: "20%" } });
  await cluster.kubectl("label", "pvc", "data", "app=shop");
  await cluster.fill("data", 85);
  await expect.poll(() => cluster.storage.capacity("data"), patience).toBe("1Gi");
  const resized = "Normal Resized: PVC volume is resized to 1Gi";
  await expect.poll(() => cluster.events("data"), patience).toContain(resized);
  expect(await cluster.metric("pvcautoresizer_success_resize_total{")).toBe(1);

  const annotations = annotationsOf({ "initial-resize-group-by": "app" });
  const template = claim({ name: "next", storage: "400Mi", annotations });
  template.metadata!.labels = { app: "shop" };
  const { spec } = await cluster.client.create(PersistentVolumeClaims, template);
  expect(spec?.resources?.requests).toEqual({ storage: "1Gi" });
});

test("the rights that it has are all that it needs", async () => {
  const logs = await cluster.logs();
  expect(logs).toMatch(/became leader/);
  expect(logs.split("\n").filter((line) => /forbidden|nobody caught/i.test(line))).toEqual([]);
});
