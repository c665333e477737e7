import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { PersistentVolumeClaims, PersistentVolumes, Pods } from "@moco-ts/kube";
import { failExpansionAnnotation } from "@moco-ts/local-kubernetes";
import { claim, userOf } from "../ground/storage.ts";
import { annotationsOf, namespace, patience, startAutoresizerCluster, type AutoresizerCluster } from "./cluster.ts";
import { systemNamespace } from "./install.ts";

let cluster: AutoresizerCluster;

beforeAll(async () => {
  cluster = await startAutoresizerCluster({
    name: "autoresizer-volumes",
    nodes: 2,
    flags: ["--resize-timeout=15s", "--metrics-timeout=3s"],
  });
});

afterAll(() => cluster?.down());

describe("a volume", () => {
  test("that is filled again and again grows up to its limit, which is told", async () => {
    const annotations = { storage_limit: "2500Mi", increase: "50%" };
    await cluster.createUser({ name: "filling", annotations });
    const sizes: string[] = [];
    for (const size of ["1Gi", "2Gi", "2500Mi"]) {
      await cluster.fill("filling", 95);
      await expect.poll(() => cluster.storage.capacity("filling"), patience).toBe(size);
      sizes.push(size);
    }
    await cluster.fill("filling", 95);
    await expect
      .poll(() => cluster.events("filling"), patience)
      .toContainEqual(expect.stringContaining("Warning LimitReached: volume storage limit reached"));
    expect(await cluster.events("filling")).toEqual(
      expect.arrayContaining(sizes.map((size) => `Normal Resized: PVC volume is resized to ${size}`)),
    );
    expect(await cluster.request("filling")).toBe("2500Mi");
    expect(await cluster.metric('pvcautoresizer_limit_reached_total{persistentvolumeclaim="filling"')).toBeGreaterThan(
      0,
    );
    expect(await cluster.problem("filling", "LimitReached")).toBe(1);
    await cluster.storage.remove("filling");
    const gone = () => cluster.metric('pvcautoresizer_limit_reached_total{persistentvolumeclaim="filling"');
    await expect.poll(gone, patience).toBeUndefined();
  });

  test("whose inodes run out grows, though there is room", async () => {
    await cluster.createUser({ name: "inodes", annotations: { storage_limit: "1Gi" } });
    await cluster.fillInodes("inodes", 95);
    await expect.poll(() => cluster.storage.capacity("inodes"), patience).toBe("1Gi");
    await cluster.storage.remove("inodes");
  });

  test("without a file system is left alone", async () => {
    await createBlockVolume("block");
    await cluster.createUser({ name: "witness", annotations: { storage_limit: "1Gi" } });
    await cluster.fill("witness", 95);
    await expect.poll(() => cluster.storage.capacity("witness"), patience).toBe("1Gi");
    expect(await cluster.request("block")).toBe("400Mi");
    expect(await cluster.metric('pvcautoresizer_success_resize_total{persistentvolumeclaim="block"')).toBeUndefined();
    await cluster.storage.remove("witness");
  });

  test("of a class that lets none grow is told at once", async () => {
    await cluster.createUser({
      name: "fixed",
      storageClassName: "local-xfs-fixed",
      annotations: { storage_limit: "1Gi" },
    });
    await expect
      .poll(() => cluster.events("fixed"), patience)
      .toEqual([expect.stringContaining("Warning NotExpandable: StorageClass local-xfs-fixed")]);
    await cluster.storage.remove("fixed");
  });

  test("that grows only with the next pod waits for that, is told, and is asked for once", async () => {
    await cluster.createUser({
      name: "offline",
      storageClassName: "local-xfs-offline",
      annotations: { storage_limit: "3Gi" },
    });
    await cluster.fill("offline", 95);
    await expect.poll(() => cluster.request("offline"), patience).toBe("1Gi");
    await expect
      .poll(() => cluster.events("offline"), patience)
      .toContainEqual(expect.stringMatching(/Warning ResizeStuck: .*\(re-\)start a pod/));
    expect(await cluster.problem("offline", "ResizeStuck")).toBe(1);
    await cluster.storage.restart(userOf("offline"));
    await cluster.storage.untilReady("offline");
    await expect.poll(() => cluster.storage.capacity("offline"), patience).toBe("1Gi");
    await expect.poll(() => cluster.problem("offline", "ResizeStuck"), patience).toBeUndefined();
    expect(await cluster.request("offline")).toBe("1Gi");
    await cluster.storage.remove("offline");
  });

  test("that can't be made larger is told with the reason", async () => {
    await cluster.createUser({ name: "infeasible", annotations: { storage_limit: "3Gi" } });
    await cluster.kubectl("annotate", "pvc", "infeasible", `${failExpansionAnnotation}=infeasible`);
    await cluster.fill("infeasible", 95);
    await expect
      .poll(() => cluster.events("infeasible"), patience)
      .toContainEqual(expect.stringContaining("Warning ResizeFailed: the volume could not be resized to 1Gi: "));
    expect(await cluster.problem("infeasible", "ResizeFailed")).toBe(1);
    expect(await cluster.request("infeasible")).toBe("1Gi");
    await cluster.kubectl("annotate", "pvc", "infeasible", `${failExpansionAnnotation}-`);
    await expect.poll(() => cluster.storage.capacity("infeasible"), patience).toBe("1Gi");
    await expect.poll(() => cluster.problem("infeasible", "ResizeFailed"), patience).toBeUndefined();
    await cluster.storage.remove("infeasible");
  });

  test("of a group that grows together takes the others along", async () => {
    const annotations = { storage_limit: "2Gi", "resize-group-by": "app" };
    await cluster.createUser({ name: "member-0", node: "node-1", annotations });
    await cluster.createUser({ name: "member-1", node: "node-2", annotations });
    await cluster.kubectl("label", "pvc", "member-0", "member-1", "app=shop");
    await cluster.fill("member-0", 95);
    await expect.poll(() => cluster.storage.capacity("member-1"), patience).toBe("1Gi");
    expect(await cluster.storage.capacity("member-0")).toBe("1Gi");
    await cluster.storage.remove("member-0");
    await cluster.storage.remove("member-1");
  });

  test("is explained to a person", async () => {
    await cluster.createUser({ name: "explained", annotations: { storage_limit: "1Gi", threshold: "1%" } });
    const seen = () => cluster.storage.volumeStatistic("node-1", "explained", "capacity_bytes");
    const elsewhere = () => cluster.storage.volumeStatistic("node-2", "explained", "capacity_bytes");
    await expect.poll(async () => (await seen()) ?? (await elsewhere()), patience).toBeGreaterThan(0);
    const deployment = "deployment/pvc-autoresizer-controller";
    const command = ["/pvc-autoresizer", "explain", "default/explained"];
    const text = await cluster.kubectl("exec", "-n", systemNamespace, deployment, "--", ...command);
    expect(text).toMatch(/class +local-xfs: managed, volumes may grow/);
    expect(text).toMatch(/in use .* available/);
    expect(text).toContain("It stays as it is: it has enough room.");
    await cluster.storage.remove("explained");
  });
});

describe("when something fails", () => {
  test("one node's silence does not keep volumes of other nodes from growing", async () => {
    const annotations = { storage_limit: "1Gi" };
    await cluster.createUser({ name: "near", node: "node-1", annotations });
    await cluster.createUser({ name: "far", node: "node-2", annotations });
    const { kubelet } = cluster.local.nodes[1]!;
    kubelet.freeze();
    onTestFinished(() => kubelet.thaw());
    await cluster.fill("near", 95);
    await cluster.fill("far", 95);
    await expect.poll(() => cluster.storage.capacity("near"), patience).toBe("1Gi");
    expect(await cluster.request("far")).toBe("400Mi");
    expect(await cluster.metric("pvcautoresizer_metrics_client_fail_total")).toBeGreaterThan(0);
    kubelet.thaw();
    await expect.poll(() => cluster.storage.capacity("far"), patience).toBe("1Gi");
    await cluster.storage.remove("near");
    await cluster.storage.remove("far");
  });

  test("another replica takes over from a leader that is killed", async () => {
    await cluster.createUser({ name: "survivor", annotations: { storage_limit: "1Gi" } });
    const first = await cluster.leader();
    await cluster.local.faults.kill({ namespace: systemNamespace, name: first, container: "pvc-autoresizer" });
    await cluster.fill("survivor", 95);
    await expect.poll(() => cluster.storage.capacity("survivor"), patience).toBe("1Gi");
    await cluster.storage.remove("survivor");
  });

  test("a claim that takes the place of a full one is not judged by its numbers", async () => {
    const annotations = { storage_limit: "400Mi" };
    await cluster.createUser({ name: "replaced", annotations });
    await cluster.fill("replaced", 95);
    await expect.poll(() => cluster.problem("replaced", "LimitReached"), patience).toBe(1);
    await cluster.storage.remove("replaced");
    await cluster.createUser({ name: "replaced", annotations: { storage_limit: "5Gi" } });
    const capacity = async () => {
      const nodes = await Promise.all(
        ["node-1", "node-2"].map((node) => cluster.storage.volumeStatistic(node, "replaced", "available_bytes")),
      );
      return Math.max(...nodes.map((bytes) => bytes ?? 0));
    };
    // The kubelet tells of the new volume, and none of the rounds since has asked for more.
    await expect.poll(capacity, patience).toBeGreaterThan(200 * 1024 * 1024);
    expect(await cluster.request("replaced")).toBe("400Mi");
    await cluster.storage.remove("replaced");
  });
});

/** A device without a file system, in use by a pod. */
async function createBlockVolume(name: string): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "moco-ts-block-"));
  const file = join(directory, "disk");
  writeFileSync(file, "");
  truncateSync(file, 400 * 1024 * 1024);
  const device = execFileSync("losetup", ["--find", "--show", file], { encoding: "utf8" }).trim();
  onTestFinished(async () => {
    await cluster.storage.remove(name);
    await cluster.client.delete(PersistentVolumes, { name });
    execFileSync("losetup", ["--detach", device]);
    rmSync(directory, { recursive: true });
  });
  const expression = { key: "kubernetes.io/hostname", operator: "In", values: ["node-1"] };
  await cluster.client.create(PersistentVolumes, {
    metadata: { name },
    spec: {
      capacity: { storage: "400Mi" },
      accessModes: ["ReadWriteOnce"],
      volumeMode: "Block",
      storageClassName: "local-xfs",
      persistentVolumeReclaimPolicy: "Retain",
      claimRef: { namespace, name },
      local: { path: device },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [expression] }] } },
    },
  });
  const annotations = annotationsOf({ storage_limit: "1Gi", threshold: "100%" });
  const block = claim({ name, storage: "400Mi", storageClassName: "local-xfs", annotations });
  await cluster.client.create(PersistentVolumeClaims, {
    ...block,
    spec: { ...block.spec, volumeMode: "Block", volumeName: name },
  });
  const pod = userOf(name);
  const [container] = pod.spec!.containers;
  const { volumeMounts: _mounts, ...rest } = container!;
  const devices = [{ name: "data", devicePath: "/dev/data" }];
  await cluster.client.create(Pods, {
    ...pod,
    spec: { ...pod.spec!, containers: [{ ...rest, volumeDevices: devices }] },
  });
  await cluster.storage.untilReady(name);
}
