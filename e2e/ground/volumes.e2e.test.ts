import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, loadKubeconfig, PersistentVolumeClaims, PersistentVolumes, Pods, type Client } from "@moco-ts/kube";
import { buildImages, down, failExpansionAnnotation, loadImages, up, type Cluster } from "@moco-ts/local-kubernetes";
import { mysqld, mysqlImage, query } from "./mysqld.ts";
import { claim, namespace, Storage, userOf } from "./storage.ts";

const name = "ground-volumes";
const patient = { timeout: 60_000, interval: 200 };
const mebibyte = 1024 * 1024;
let cluster: Cluster;
let client: Client;
let storage: Storage;

beforeAll(async () => {
  cluster = await up({ name, nodes: 2 });
  client = connect(await loadKubeconfig({ environment: {}, path: cluster.kubeconfigPath }), { qps: Infinity });
  storage = new Storage(cluster, client);
});

afterAll(async () => {
  await client?.close();
  await down(name);
});

describe("online", () => {
  test("a volume grows under a running mysqld, and the kubelet tells", async () => {
    await buildImages({ names: ["mysql"] });
    await loadImages(cluster.nodes.slice(0, 1), [mysqlImage]);
    await client.create(PersistentVolumeClaims, claim({ name: "mysql", storage: "600Mi" }));
    await client.create(Pods, mysqld({ name: "mysql", claimName: "mysql", node: "node-1" }));
    await storage.untilReady("mysql");
    const before = await expectStatistic("mysql", "capacity_bytes", (bytes) => bytes > 400 * mebibyte);
    expect(before).toBeLessThan(600 * mebibyte);
    await query(
      cluster,
      "mysql",
      "CREATE DATABASE t; CREATE TABLE t.t (id INT PRIMARY KEY); INSERT INTO t.t VALUES (1)",
    );

    await storage.ask("mysql", "1Gi");
    await expect.poll(() => storage.capacity("mysql"), patient).toBe("1Gi");
    expect(await storage.conditions("mysql")).toEqual([]);
    await expectStatistic("mysql", "capacity_bytes", (bytes) => bytes > 900 * mebibyte);
    await query(cluster, "mysql", "INSERT INTO t.t VALUES (2)");
    expect(await query(cluster, "mysql", "SELECT COUNT(*) FROM t.t")).toBe("2");
    const { status } = await client.get(Pods, { namespace, name: "mysql" });
    expect(status?.containerStatuses?.[0]?.restartCount).toBe(0);
    await expect
      .poll(() => storage.events("mysql"), patient)
      .toEqual(expect.arrayContaining(["ProvisioningSucceeded", "Resizing", "VolumeResizeSuccessful"]));
    const { spec } = await storage.claim("mysql");
    const volume = await client.get(PersistentVolumes, { name: spec!.volumeName! });
    expect(volume.spec?.capacity).toEqual({ storage: "1Gi" });
    await storage.remove("mysql");
  });

  test("a volume is on the node where its pod was put, and the pod stays with it", async () => {
    await storage.createUser({ name: "far", node: "node-2" });
    const { spec } = await storage.claim("far");
    const volume = await client.get(PersistentVolumes, { name: spec!.volumeName! });
    expect(JSON.stringify(volume.spec?.nodeAffinity)).toContain("node-2");
    await storage.exec("far", "echo kept >/data/file");
    await storage.restart(userOf("far"));
    await storage.untilReady("far");
    expect((await client.get(Pods, { namespace, name: "far" })).spec?.nodeName).toBe("node-2");
    expect(await storage.exec("far", "cat /data/file")).toBe("kept\n");
    await storage.remove("far");
  });
});

describe("offline", () => {
  test("an expansion waits for another pod, and a restarted container is not one", async () => {
    await storage.createUser({ name: "offline", storageClassName: "local-xfs-offline" });
    const before = await storage.sizeInPod("offline");
    await storage.ask("offline", "600Mi");
    await expect.poll(() => storage.conditions("offline"), patient).toEqual(["FileSystemResizePending"]);
    expect((await storage.claim("offline")).status).toMatchObject({
      capacity: { storage: "300Mi" },
      allocatedResources: { storage: "600Mi" },
      allocatedResourceStatuses: { storage: "NodeResizePending" },
    });
    await cluster.faults.kill({ namespace, name: "offline" });
    const restarts = async () =>
      (await client.get(Pods, { namespace, name: "offline" })).status?.containerStatuses?.[0]?.restartCount;
    await expect.poll(restarts, patient).toBe(1);
    await storage.untilReady("offline");
    expect(await storage.conditions("offline")).toEqual(["FileSystemResizePending"]);
    expect(await storage.sizeInPod("offline")).toBe(before);

    await storage.restart(userOf("offline"));
    await storage.untilReady("offline");
    await expect.poll(() => storage.capacity("offline"), patient).toBe("600Mi");
    expect(await storage.conditions("offline")).toEqual([]);
    expect(await storage.sizeInPod("offline")).toBeGreaterThan(before + 250 * mebibyte);
    await expect
      .poll(() => storage.events("offline"), patient)
      .toEqual(expect.arrayContaining(["Resizing", "FileSystemResizeRequired", "FileSystemResizeSuccessful"]));
    await storage.remove("offline");
  });
});

describe("refused and failing", () => {
  test("the fixed class can't be expanded", async () => {
    await storage.createUser({ name: "fixed", storageClassName: "local-xfs-fixed" });
    await expect(storage.ask("fixed", "600Mi")).rejects.toThrow(/must support resize/);
    await storage.remove("fixed");
  });

  test("an expansion that fails once is tried again", async () => {
    await storage.createUser({ name: "unlucky", annotations: { [failExpansionAnnotation]: "once" } });
    await storage.ask("unlucky", "600Mi");
    await expect.poll(() => storage.capacity("unlucky"), patient).toBe("600Mi");
    await expect
      .poll(() => storage.events("unlucky"), patient)
      .toEqual(expect.arrayContaining(["VolumeResizeFailed", "VolumeResizeSuccessful"]));
    expect(await storage.conditions("unlucky")).toEqual([]);
    await storage.remove("unlucky");
  });

  test("an infeasible expansion stays so until a smaller one is asked for", async () => {
    await storage.createUser({ name: "infeasible", annotations: { [failExpansionAnnotation]: "infeasible" } });
    await storage.ask("infeasible", "2Ti");
    const stage = async () => (await storage.claim("infeasible")).status?.allocatedResourceStatuses?.["storage"];
    await expect.poll(stage, patient).toBe("ControllerResizeInfeasible");
    expect(await storage.conditions("infeasible")).toEqual(["Resizing", "ControllerResizeError"]);
    const body = { metadata: { annotations: { [failExpansionAnnotation]: null } } };
    await storage.ask("infeasible", "400Mi");
    await client.patch(PersistentVolumeClaims, { namespace, name: "infeasible" }, { type: "merge", body });
    await expect.poll(() => storage.capacity("infeasible"), patient).toBe("400Mi");
    expect(await storage.conditions("infeasible")).toEqual([]);
    await storage.remove("infeasible");
  });
});

describe("the end of a volume", () => {
  test("with its claim go mount, loop device and file", async () => {
    await storage.createUser({ name: "short-lived" });
    const volume = (await storage.claim("short-lived")).spec!.volumeName!;
    const path = (await client.get(PersistentVolumes, { name: volume })).spec!.local!.path;
    const device = await loopDevice(path);
    const traces = async () => ({
      mounted: (await readFile("/proc/self/mountinfo", "utf8")).includes(volume),
      attached: (await backingFile(device)).includes(volume),
      file: existsSync(dirname(path)),
    });
    expect(await traces()).toEqual({ mounted: true, attached: true, file: true });
    await storage.remove("short-lived");
    const volumes = async () => (await client.list(PersistentVolumes)).items.map(({ metadata }) => metadata!.name);
    await expect.poll(volumes, patient).not.toContain(volume);
    expect(await traces()).toEqual({ mounted: false, attached: false, file: false });
  });

  test("a volume that is kept survives its claim, and goes without its disk when it is deleted", async () => {
    await storage.createUser({ name: "kept" });
    const volume = (await storage.claim("kept")).spec!.volumeName!;
    const { spec } = await client.patch(
      PersistentVolumes,
      { name: volume },
      { type: "merge", body: { spec: { persistentVolumeReclaimPolicy: "Retain" } } },
    );
    await storage.remove("kept");
    const phase = async () => (await client.get(PersistentVolumes, { name: volume })).status?.phase;
    await expect.poll(phase, patient).toBe("Released");
    await client.delete(PersistentVolumes, { name: volume });
    await expect.poll(() => phase().catch(() => "gone"), patient).toBe("gone");
    expect(existsSync(spec!.local!.path)).toBe(true);
  });
});

describe("faults", () => {
  test("a volume is filled and emptied", async () => {
    await storage.createUser({ name: "full", node: "node-1" });
    const target = { claim: { namespace, name: "full" } };
    await cluster.faults.fillVolume(target, { percent: 90 });
    const share = async (part: string, whole: string) =>
      (await storage.volumeStatistic("node-1", "full", part))! /
      (await storage.volumeStatistic("node-1", "full", whole))!;
    await expect.poll(() => share("used_bytes", "capacity_bytes"), patient).toBeCloseTo(0.9, 1);
    await cluster.faults.fillVolume({ pod: { namespace, name: "full" } }, { percent: 100 });
    await expect(storage.exec("full", "echo x >/data/file")).rejects.toThrow(/No space left/);
    await cluster.faults.unfillVolume(target);
    await storage.exec("full", "echo x >/data/file");
    await cluster.faults.fillVolume(target, { inodePercent: 95 });
    await expect.poll(() => share("inodes_used", "inodes"), patient).toBeCloseTo(0.95, 1);
    await cluster.faults.unfillVolume(target);
    await storage.remove("full");
  });

  test("a disk is lost, and replaced by an empty one", async () => {
    await storage.createUser({ name: "broken" });
    const target = { claim: { namespace, name: "broken" } };
    await storage.exec("broken", "echo x >/data/file");
    await cluster.faults.loseDisk(target);
    await expect(storage.exec("broken", "echo x >/data/other")).rejects.toThrow(/Input\/output error/);
    await storage.restart(userOf("broken"));
    const mountFailures = () =>
      cluster.kubectl([
        "get",
        "events",
        "--field-selector",
        "involvedObject.name=broken,reason=FailedMount",
        "-o",
        "name",
      ]);
    await expect.poll(mountFailures, patient).not.toBe("");
    await cluster.faults.replaceDisk(target);
    await storage.untilReady("broken");
    expect(await storage.exec("broken", "ls /data")).toBe("");
    await storage.remove("broken");
  });

  test("a lost disk does not keep claim and volume from going", async () => {
    await storage.createUser({ name: "doomed" });
    const volume = (await storage.claim("doomed")).spec!.volumeName!;
    await cluster.faults.loseDisk({ claim: { namespace, name: "doomed" } });
    await storage.remove("doomed");
    await expect
      .poll(
        () =>
          client.get(PersistentVolumes, { name: volume }).then(
            () => "there",
            () => "gone",
          ),
        patient,
      )
      .toBe("gone");
  });
});

describe("the provisioner is killed", () => {
  test("in the middle of its work, and the next one finishes it", async () => {
    const provisioner = cluster.processes.get("volumes")!;
    const names = Array.from({ length: 6 }, (_, index) => `many-${index}`);
    for (const each of names) {
      await client.create(PersistentVolumeClaims, claim({ name: each }));
      await client.create(Pods, userOf(each));
    }
    await expect.poll(async () => (await storage.events("many-0")).length, patient).toBeGreaterThan(0);
    await provisioner.restart("SIGKILL");
    await storage.untilReady(...names);
    await Promise.all(names.map((each) => storage.ask(each, "400Mi")));
    await provisioner.restart("SIGKILL");
    for (const each of names) {
      await expect.poll(() => storage.capacity(each), patient).toBe("400Mi");
      expect(await storage.sizeInPod(each)).toBeGreaterThan(320 * mebibyte);
    }
    await cluster.kubectl(["delete", "pod", ...names]);
    await cluster.kubectl(["delete", "pvc", "--wait=false", ...names]);
    await provisioner.restart("SIGKILL");
    const left = async () =>
      (await client.list(PersistentVolumes)).items.filter(({ spec }) => spec?.claimRef?.name?.startsWith("many-"))
        .length;
    await expect.poll(left, patient).toBe(0);
  });
});

/** Waits for a statistic of a claim on node-1 that is as expected, and returns it. */
async function expectStatistic(claimName: string, statistic: string, accept: (value: number) => boolean) {
  let value = 0;
  const probe = async () => {
    value = (await storage.volumeStatistic("node-1", claimName, statistic)) ?? 0;
    return accept(value);
  };
  await expect.poll(probe, patient).toBe(true);
  return value;
}

async function loopDevice(mountPoint: string): Promise<string> {
  const line = (await readFile("/proc/self/mountinfo", "utf8"))
    .split("\n")
    .find((each) => each.includes(`${mountPoint} `));
  return /\/dev\/(loop\d+)/.exec(line ?? "")?.[1] ?? "none";
}

async function backingFile(device: string): Promise<string> {
  return readFile(`/sys/block/${device}/loop/backing_file`, "utf8").catch(() => "free");
}
