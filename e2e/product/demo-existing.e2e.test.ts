/** `make demo` on a cluster that is there already, with things in it that are none of its business. */
import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { prepareImages } from "@moco-ts/bundle";
import { charts } from "@moco-ts/helm";
import { buildImages, down, loadImages, up, type Cluster } from "@moco-ts/local-kubernetes";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { apply, claim, untilPodsReady, webPod } from "../ground/pods.ts";
import { images } from "../testing/index.ts";
import { Demo } from "./demo.ts";

const name = "product-existing";
/** A whole demo takes five minutes on a busy machine. */
const timeout = 900_000;
const registry = "registry.example.com/moco";
const variables = ["EXISTING=1", `IMAGES=${registry}`, `MYSQL=${images.mysql}`];
let own: Cluster;

beforeAll(async () => {
  own = await up({ name });
  await provideImages();
  await apply(own, greedyClaim(), webPod({ name: "web", node: "node-1", claim: "data" }));
  await untilPodsReady(own, "web");
});

afterAll(() => (process.env["KEEP"] ? undefined : down(name)));

/** As if the nodes could reach a registry with the released images, and that of the slow log's sidecar. */
async function provideImages(): Promise<void> {
  const { appVersion } = parse(await readFile(join(charts.moco, "Chart.yaml"), "utf8")) as { appVersion: string };
  const folder = await prepareImages(`images-${name}`);
  const released = ["moco-controller", "moco-agent", "pvc-autoresizer"];
  await buildImages({ folder, names: [...released, "mysql", "fluent-bit"], version: appVersion });
  const local = released.map((each) => `localhost/moco-ts/${each}:${appVersion}`);
  await loadImages(own.nodes, [...local, images.mysql, images.fluentBit]);
  const tag = async (from: string, to: string): Promise<void> => {
    const containerd = ["--address", own.nodes[0]!.containerdSocket, "--namespace", "k8s.io"];
    await promisify(execFile)("ctr", [...containerd, "images", "tag", from, to]);
  };
  for (const each of local) await tag(each, each.replace("localhost/moco-ts", registry));
  await tag(images.fluentBit, "ghcr.io/cybozu-go/moco/fluent-bit:5.0.2.1");
}

/** An autoresizer that saw it would make it larger at once. */
function greedyClaim(): object {
  const annotations = { "resize.topolvm.io/threshold": "99%", "resize.topolvm.io/storage_limit": "1Gi" };
  const object = claim("data") as { metadata: object };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

async function start(given: readonly string[], { terminal = false } = {}): Promise<Demo> {
  // What it would make on this machine, if it did, must be ours.
  const demo = await Demo.make(["NAME=product-demo", ...given], { kubeconfigPath: own.kubeconfigPath, terminal });
  onTestFinished(async () => {
    if (demo.isRunning) demo.interrupt();
    await demo.ended;
    await rm(demo.folder, { recursive: true });
  });
  return demo;
}

/** Every object of the cluster but those that come and go by themselves, and how large the claim is. */
async function contents(): Promise<string[]> {
  const kinds = (await own.kubectl(["api-resources", "--verbs=list,delete", "--output=name"])).trim().split("\n");
  const lasting = kinds.filter((kind) => !/^(events|leases|endpoints|endpointslices)\b/.test(kind));
  const line =
    '{.kind} {.metadata.namespace}/{.metadata.name} {.metadata.uid} {.spec.resources.requests.storage}{"\\n"}';
  const path = `jsonpath={range .items[*]}${line}{end}`;
  return (await own.kubectl(["get", lasting.join(","), "--all-namespaces", "-o", path])).trim().split("\n").sort();
}

test("without a terminal it says how it would use that cluster", async () => {
  const demo = await start([]);
  await demo.says(/1\. A Kubernetes node/);
  demo.interrupt();
  expect((await demo.ended).output).toContain("KUBECONFIG is set: `make demo EXISTING=1 IMAGES=");
});

test("on a terminal it offers to use that cluster, and asks for what it needs to know", async () => {
  const demo = await start([], { terminal: true });
  await demo.says(/use the cluster at \S+ \[y\/N\]/);
  expect(demo.output).toContain(own.server);
  demo.type("y\n");
  await demo.says(/Where do its nodes find this project's images/);
  demo.type("\n");
  const { code, output } = await demo.ended;
  expect(output).toContain("--images registry.example.com/moco");
  expect(code).toBe(2);
});

test("Ctrl-C is an answer too", async () => {
  const demo = await start([], { terminal: true });
  await demo.says(/use the cluster at/);
  demo.interrupt();
  expect((await demo.ended).output).toContain("Interrupted");
});

test("the whole story is told there, and all that it brought is removed", { timeout }, async () => {
  const before = await contents();
  const { code, output } = await (await start(variables)).ended;
  expect(code, output).toBe(0);
  expect(output).toMatch(/namespace moco-ts-demo-\w+, mysqld from localhost/);
  expect(output).toMatch(/A failover[^]*the writer had to wait/);
  expect(output).toMatch(/has \d+Gi now, as pvc-autoresizer asked/);
  expect(output).toMatch(/(\d+) rows were acknowledged, \d+ were not: all \1 are there/);
  expect(output).toMatch(/Deleting the namespace moco-ts-demo-\w+ and what was installed/);
  expect(await contents()).toEqual(before);
});

test.each([
  ["while a chart is installed", /helm upgrade --install moco /],
  ["while the MySQLCluster is made", /A MySQLCluster of three[^]*instances are Ready/],
])("Ctrl-C %s removes it too", { timeout }, async (_, moment) => {
  const before = await contents();
  const demo = await start(variables);
  await demo.says(moment);
  demo.interrupt();
  const { code, output } = await demo.ended;
  expect(code, output).toBe(130);
  expect(await contents()).toEqual(before);
});
