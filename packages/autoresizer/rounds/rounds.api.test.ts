import { expect, test } from "vitest";
import { defineResource, Events, Leases, PersistentVolumeClaims, StorageClasses, type KubeObject } from "@moco-ts/kube";
import { startAutoresizer, type RunningAutoresizer } from "../testing/autoresizer.ts";
import { TestCluster } from "../testing/cluster.ts";
import { answerJson, FakePrometheus } from "../testing/fake-prometheus.ts";
import { gibibyte, testUsage } from "../testing/objects.ts";
import type { VolumeUsage } from "../usage/usage.ts";

interface ResourceQuota extends KubeObject {
  spec: { hard: Record<string, string> };
}
const ResourceQuotas = defineResource<ResourceQuota>("v1", "ResourceQuota", "resourcequotas");

const patience = { timeout: 60_000, interval: 50 };
const limit = { storage_limit: "100Gi" };
const full = testUsage({ available: 0.5 * gibibyte });

test("a volume that runs full is asked to grow, once, and again when it is full again", async () => {
  const { cluster, fill, start } = await surroundings();
  await cluster.createClaim("data", { annotations: limit });
  fill("data", full);
  const { metric, rounds } = await start();
  await expect.poll(() => cluster.request("data"), patience).toBe("11Gi");
  const { metadata } = await cluster.claim("data");
  expect(metadata?.annotations).toMatchObject({
    "resize.topolvm.io/pre_capacity_bytes": String(10 * gibibyte),
    "resize.topolvm.io/resized-at": expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  });
  await expect
    .poll(() => eventsOf(cluster, "data"), patience)
    .toEqual([
      expect.objectContaining({
        reason: "Resized",
        type: "Normal",
        action: "Resized",
        message: "PVC volume is resized to 11Gi",
        reportingComponent: "pvc-autoresizer",
      }),
    ]);

  // Nothing more while the resize is under way, nor while the numbers are from before it.
  await another(rounds);
  await cluster.finishResize("data");
  await another(rounds);
  expect(await cluster.request("data")).toBe("11Gi");
  fill("data", testUsage({ capacity: 11 * gibibyte, available: 1.5 * gibibyte }));
  await another(rounds);
  expect(await cluster.request("data")).toBe("11Gi");
  expect(await metric(series("success_resize_total", cluster, "data"))).toBe(1);
  fill("data", testUsage({ capacity: 11 * gibibyte, available: gibibyte }));
  await expect.poll(() => cluster.request("data"), patience).toBe("13Gi");
  expect(await metric(series("success_resize_total", cluster, "data"))).toBe(2);
});

test("claims that are not to be managed stay as they are, and have no series", async () => {
  const { cluster, fill, start } = await surroundings();
  await cluster.createClaim("no-limit");
  await cluster.createClaim("zero-limit", { annotations: { storage_limit: "0" } });
  await cluster.createClaim("block", { annotations: limit, volumeMode: "Block" });
  await cluster.create("pending", { annotations: limit });
  await cluster.createClaim("managed", { annotations: limit });
  for (const name of ["no-limit", "zero-limit", "block", "pending", "managed"]) fill(name, full);
  const { metrics } = await start();
  await expect.poll(() => cluster.request("managed"), patience).toBe("11Gi");
  for (const name of ["no-limit", "zero-limit", "block", "pending"]) {
    expect(await cluster.request(name)).toBe("10Gi");
    expect(await metrics.text()).not.toContain(`persistentvolumeclaim="${name}"`);
  }
});

test("a class must be enabled, unless that is not asked for", async () => {
  const { cluster, fill, start } = await surroundings({ enabled: "false" });
  await cluster.createClaim("data", { annotations: limit });
  fill("data", full);
  const first = await start();
  await another(first.rounds);
  expect(await cluster.request("data")).toBe("10Gi");
  await first.stop();
  await start("--no-annotation-check");
  await expect.poll(() => cluster.request("data"), patience).toBe("11Gi");
});

test("a class that becomes enabled counts at once", async () => {
  const { cluster, fill, start } = await surroundings({ enabled: undefined });
  await cluster.createClaim("data", { annotations: limit });
  fill("data", full);
  const { rounds } = await start();
  await another(rounds);
  const body = { metadata: { annotations: { "resize.topolvm.io/enabled": "true" } } };
  await cluster.client.patch(StorageClasses, { name: cluster.namespace }, { type: "merge", body });
  await expect.poll(() => cluster.request("data"), patience).toBe("11Gi");
});

test("series are there with 0 from the beginning, and go with their claim", async () => {
  const { cluster, fill, start } = await surroundings();
  await cluster.createClaim("data", { annotations: limit });
  fill("data", testUsage());
  const { metric, metrics, rounds } = await start();
  await another(rounds);
  for (const name of ["success_resize_total", "failed_resize_total", "limit_reached_total"]) {
    expect(await metric(series(name, cluster, "data"))).toBe(0);
  }
  for (const name of ["kubernetes_client_fail_total", "metrics_client_fail_total"]) {
    expect(await metric(`pvcautoresizer_${name} `)).toBe(0);
  }
  expect(await metric("pvcautoresizer_loop_seconds_total ")).toBeGreaterThan(0);
  await cluster.client.delete(PersistentVolumeClaims, { namespace: cluster.namespace, name: "data" });
  await expect.poll(() => metrics.text(), patience).not.toContain('persistentvolumeclaim="data"');
});

test("a volume at its limit is counted every round and told once", async () => {
  const { cluster, fill, start } = await surroundings();
  await cluster.createClaim("data", { annotations: { storage_limit: "10Gi" } });
  fill("data", full);
  const { metric, metrics } = await start();
  await expect.poll(() => metric(series("limit_reached_total", cluster, "data")), patience).toBeGreaterThan(3);
  await expect
    .poll(() => eventsOf(cluster, "data"), patience)
    .toEqual([
      expect.objectContaining({
        type: "Warning",
        reason: "LimitReached",
        message: expect.stringContaining("volume storage limit reached"),
      }),
    ]);
  expect(await metric(problem(cluster, "data", "LimitReached"))).toBe(1);
  await cluster.annotate("data", { storage_limit: "20Gi" });
  await expect.poll(() => cluster.request("data"), patience).toBe("11Gi");
  await expect.poll(() => metrics.text(), patience).not.toContain('reason="LimitReached"');
});

test("an annotation that can't be understood is told by name and value, and other claims go on", async () => {
  const { cluster, fill, start } = await surroundings();
  await cluster.createClaim("typo", { annotations: { ...limit, threshold: "10percent" } });
  await cluster.createClaim("limitless", { annotations: { storage_limit: "lots" } });
  await cluster.createClaim("right", { annotations: limit });
  for (const name of ["typo", "limitless", "right"]) fill(name, full);
  const { metric } = await start();
  await expect.poll(() => cluster.request("right"), patience).toBe("11Gi");
  await expect
    .poll(() => eventsOf(cluster, "typo"), patience)
    .toEqual([
      expect.objectContaining({
        type: "Warning",
        reason: "InvalidAnnotation",
        message: expect.stringContaining('resize.topolvm.io/threshold: "10percent"'),
      }),
    ]);
  expect(await metric(problem(cluster, "typo", "InvalidAnnotation"))).toBe(1);
  expect(await metric(series("failed_resize_total", cluster, "typo"))).toBe(0);
  expect(await metric(series("failed_resize_total", cluster, "limitless"))).toBeGreaterThan(0);
  await cluster.annotate("typo", { threshold: "10%" });
  await expect.poll(() => cluster.request("typo"), patience).toBe("11Gi");
});

test("a resize that the API server refuses is told, counted and tried again, and other claims go on", async () => {
  const { cluster, fill, start } = await surroundings();
  const metadata = { name: "quota", namespace: cluster.namespace };
  await cluster.client.create(ResourceQuotas, { metadata, spec: { hard: { "requests.storage": "25Gi" } } });
  await cluster.createClaim("greedy", { annotations: { ...limit, increase: "50Gi" } });
  await cluster.createClaim("modest", { annotations: limit });
  for (const name of ["greedy", "modest"]) fill(name, full);
  const { metric } = await start();
  await expect.poll(() => cluster.request("modest"), patience).toBe("11Gi");
  const failures = () => metric(series("failed_resize_total", cluster, "greedy"));
  await expect.poll(failures, patience).toBeGreaterThan(2);
  expect(await metric(problem(cluster, "greedy", "ResizeFailed"))).toBe(1);
  expect(await metric("pvcautoresizer_kubernetes_client_fail_total ")).toBeGreaterThan(2);
  await expect
    .poll(() => eventsOf(cluster, "greedy"), patience)
    .toEqual([expect.objectContaining({ reason: "ResizeFailed", message: expect.stringContaining("exceeded quota") })]);
  const body = { spec: { hard: { "requests.storage": "100Gi" } } };
  await cluster.client.patch(ResourceQuotas, metadata, { type: "merge", body });
  await expect.poll(() => cluster.request("greedy"), patience).toBe("60Gi");
  await expect.poll(() => metric(problem(cluster, "greedy", "ResizeFailed")), patience).toBeUndefined();
});

test("a class that lets no volume grow is told for each claim", async () => {
  const { cluster, start } = await surroundings({}, false);
  await cluster.createClaim("data", { annotations: limit });
  const { metric } = await start();
  await expect
    .poll(() => eventsOf(cluster, "data"), patience)
    .toEqual([
      expect.objectContaining({
        type: "Warning",
        reason: "NotExpandable",
        message: expect.stringContaining(`StorageClass ${cluster.namespace}`),
      }),
    ]);
  expect(await metric(problem(cluster, "data", "NotExpandable"))).toBe(1);
});

test("a resize that does not end is told, and tried again by touching the claim", async () => {
  const { cluster, fill, start } = await surroundings();
  await cluster.createClaim("data", { annotations: limit });
  fill("data", full);
  const { metric } = await start("--resize-timeout=500ms", "--resize-retry-interval=1500ms");
  await expect.poll(() => cluster.request("data"), patience).toBe("11Gi");
  const first = (await cluster.claim("data")).metadata?.annotations?.["resize.topolvm.io/resized-at"];
  await expect.poll(() => metric(problem(cluster, "data", "ResizeStuck")), patience).toBe(1);
  const asked = async () => (await cluster.claim("data")).metadata?.annotations?.["resize.topolvm.io/resized-at"];
  await expect.poll(asked, patience).not.toBe(first);
  expect(await cluster.request("data")).toBe("11Gi");
  const reasons = async () => (await eventsOf(cluster, "data")).map(({ reason }) => reason);
  await expect.poll(reasons, patience).toEqual(expect.arrayContaining(["Resized", "ResizeStuck"]));
  // The numbers have to be new as well.
  await cluster.finishResize("data");
  fill("data", testUsage({ capacity: 11 * gibibyte }));
  await expect.poll(() => metric(problem(cluster, "data", "ResizeStuck")), patience).toBeUndefined();
});

test("a source that fails skips decisions by its numbers, and they are made when it is back", async () => {
  const { cluster, fill, start, prometheus } = await surroundings();
  await cluster.createClaim("data", { annotations: limit });
  fill("data", full);
  prometheus.instead = (_url, response) => {
    answerJson(response, 503, { status: "error", errorType: "unavailable", error: "starting" });
    return true;
  };
  const { metric, rounds } = await start();
  await another(rounds);
  expect(await metric("pvcautoresizer_metrics_client_fail_total ")).toBeGreaterThan(0);
  expect(await cluster.request("data")).toBe("10Gi");
  prometheus.instead = () => false;
  await expect.poll(() => cluster.request("data"), patience).toBe("11Gi");
});

test("a dry run says what it would do and does nothing", async () => {
  const { cluster, fill, start } = await surroundings();
  await cluster.createClaim("data", { annotations: limit });
  fill("data", full);
  const { rounds, log, metric } = await start("--dry-run");
  await another(rounds);
  await another(rounds);
  const messages = log.filter(({ msg }) => msg === "would resize, but for the dry run");
  expect(messages).toEqual([expect.objectContaining({ name: "data", to: "11Gi" })]);
  await expect
    .poll(() => eventsOf(cluster, "data"), patience)
    .toEqual([expect.objectContaining({ reason: "WouldResize", message: expect.stringContaining("11Gi") })]);
  expect(await metric(series("success_resize_total", cluster, "data"))).toBe(0);
  const { metadata, spec } = await cluster.claim("data");
  expect(spec?.resources?.requests).toEqual({ storage: "10Gi" });
  expect(Object.keys(metadata?.annotations ?? {}).filter((key) => /resized-at|pre_capacity/.test(key))).toEqual([]);
});

test("a group that grows together follows its largest member, each up to its limit", async () => {
  const { cluster, fill, start } = await surroundings();
  const grouped = (storage_limit: string, label = "a") => ({
    annotations: { storage_limit, "resize-group-by": "app" },
    labels: { app: label },
  });
  await cluster.createClaim("data-0", grouped("100Gi"));
  await cluster.createClaim("data-1", grouped("100Gi"));
  await cluster.createClaim("data-2", grouped("10500Mi"));
  await cluster.createClaim("other-group", grouped("100Gi", "b"));
  await cluster.createClaim("not-in", { annotations: limit, labels: { app: "a" } });
  fill("data-0", full);
  const { rounds } = await start();
  await expect.poll(() => cluster.request("data-1"), patience).toBe("11Gi");
  await expect.poll(() => cluster.request("data-2"), patience).toBe("10500Mi");
  await another(rounds);
  expect(await cluster.request("data-0")).toBe("11Gi");
  expect(await cluster.request("other-group")).toBe("10Gi");
  expect(await cluster.request("not-in")).toBe("10Gi");
});

test("of two replicas one leads, and the other takes over", async () => {
  const { cluster, fill, start } = await surroundings();
  await cluster.createClaim("data", { annotations: limit });
  const first = await start();
  await another(first.rounds);
  const second = await start();
  await expect.poll(() => second.log.map(({ msg }) => msg), patience).toContain("waiting to become leader");
  const lease = await cluster.client.get(Leases, { namespace: cluster.namespace, name: "49e22f61.topolvm.io" });
  expect(lease.spec?.holderIdentity).toBeTruthy();
  expect(await second.rounds()).toBe(0);
  await first.stop();
  fill("data", full);
  await expect.poll(() => cluster.request("data"), patience).toBe("11Gi");
});

test("counters start anew when there is too much to read, if that is asked for", async () => {
  const { cluster, fill, start } = await surroundings();
  await cluster.createClaim("data", { annotations: { storage_limit: "10Gi" } });
  fill("data", full);
  const { metric, rounds } = await start("--metrics-reset-size-threshold=1000");
  await another(rounds);
  await another(rounds);
  await another(rounds);
  // Counted in every round, and forgotten at its end.
  expect([undefined, 0, 1]).toContain(await metric(series("limit_reached_total", cluster, "data")));
});

/** A namespace, statistics for it, and a way to start autoresizers. */
async function surroundings(...parameters: Parameters<typeof TestCluster.create>) {
  const cluster = await TestCluster.create(...parameters);
  const prometheus = await FakePrometheus.start();
  return {
    cluster,
    prometheus,
    fill: (name: string, usage: VolumeUsage) => void prometheus.volumes.set(`${cluster.namespace}/${name}`, usage),
    start: (...flags: string[]): Promise<RunningAutoresizer> =>
      startAutoresizer(cluster, [`--prometheus-url=${prometheus.url}`, ...flags]),
  };
}

/** Waits for a whole round that began after now. */
async function another(rounds: () => Promise<number>): Promise<void> {
  const before = await rounds();
  await expect.poll(rounds, patience).toBeGreaterThan(before + 1);
}

async function eventsOf({ client, namespace }: TestCluster, name: string) {
  const fieldSelector = `involvedObject.kind=PersistentVolumeClaim,involvedObject.name=${name}`;
  const { items } = await client.list(Events, { namespace, fieldSelector });
  return items.filter(({ reportingComponent }) => reportingComponent === "pvc-autoresizer");
}

function series(name: string, { namespace }: TestCluster, claim: string): string {
  return `pvcautoresizer_${name}{persistentvolumeclaim="${claim}",namespace="${namespace}"} `;
}

function problem({ namespace }: TestCluster, claim: string, reason: string): string {
  return `pvcautoresizer_problem{persistentvolumeclaim="${claim}",namespace="${namespace}",reason="${reason}"} `;
}
