/** `make demo` on a node of its own: told to its end, ended by Ctrl-C at any moment, left up. */
import { execFile } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { cluster, down } from "@moco-ts/local-kubernetes";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { machineSnapshot } from "../ground/snapshot.ts";
import { Demo, type DemoOptions } from "./demo.ts";

const name = "product-demo";
/** A whole demo takes five minutes on a busy machine. */
const timeout = 900_000;
const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");

// In case of a test that failed before it came to it.
afterEach(() => down(name, { report: () => {} }));

async function start(variables: readonly string[] = [], options: DemoOptions = {}): Promise<Demo> {
  const demo = await Demo.make([`NAME=${name}`, ...variables], options);
  onTestFinished(async () => {
    if (demo.isRunning) demo.interrupt();
    await demo.ended;
    await rm(demo.folder, { recursive: true });
  });
  return demo;
}

/** Neither a cluster, nor a process, nor a file. */
async function expectNothingLeft(demo: Demo): Promise<void> {
  await expect(cluster(name)).rejects.toThrow(`there is no cluster ${name}`);
  expect(demo.isRunning).toBe(false);
  expect([...(await machineSnapshot())].filter((line) => line.includes(name))).toEqual([]);
  expect(await readdir(demo.folder)).toEqual([]);
}

/** What is shown between the titles of two steps. */
function act(output: string, title: string): string {
  const [, text = ""] = output.split(new RegExp(`^\\d+\\. ${title}.*$`, "m"));
  return text.split(/^\d+\. /m)[0]!;
}

test("the whole story is told on a terminal, with a live picture, and leaves nothing behind", { timeout }, async () => {
  const demo = await start([], { terminal: true });
  const { code, output } = await demo.ended;
  const text = stripVTControlCharacters(output).replaceAll("\r", "");
  expect(code, text).toBe(0);

  expect(act(text, "A Kubernetes node on this machine")).toMatch(/node-1 is Ready[^]*done in [\d.]+ s/);
  expect(act(text, "The images")).toContain("node-1: loaded");
  const charts = act(text, "The operator and the autoresizer");
  expect(charts).toContain("helm upgrade --install moco charts/moco");
  expect(charts).toContain("helm upgrade --install pvc-autoresizer charts/pvc-autoresizer");
  expect(act(text, "A MySQLCluster of three instances")).toMatch(/0 of 3 instances are Ready[^]*done in/);
  expect(act(text, "A client that writes")).toContain("done in");

  expect(text).toMatch(/MySQLCluster default\/demo +Healthy\n +3 of 3 instances are Ready/);
  // Back to where the picture began.
  // eslint-disable-next-line no-control-regex -- escape sequences begin with one.
  expect(output).toMatch(/\x1b\[\d+A/);
  const failover = act(text, "A failover");
  expect(failover).toMatch(/kill -9 of mysqld in moco-demo-0/);
  expect(failover).toMatch(/MySQLCluster default\/demo +(?!Healthy)[A-Z]\w+/);
  expect(failover).toMatch(/The writer: \d+ rows acknowledged, waiting for [\d.]+ s/);
  expect(failover).toMatch(/the primary is moco-demo-\d now; the writer had to wait: [\d.]+ s/);
  expect(act(text, "A switchover")).toMatch(/the primary was moco-demo-\d, it is moco-demo-\d now; the writer/);
  const update = act(text, "A rolling update");
  expect(update).toMatch(/rolling: [12] of 3 Pods are of the newest template/);
  for (const ordinal of [0, 1, 2]) expect(update).toContain(`moco-demo-${ordinal} is replaced`);
  expect(update).toMatch(/^ +the writer (noticed nothing|had to wait)/m);
  expect(act(text, "Larger volumes")).toMatch(/the same Pods run; the writer/);
  expect(act(text, "A disk that fills up")).toMatch(/has \d+Gi now, as pvc-autoresizer asked; the writer/);
  expect(act(text, "Every row")).toMatch(/(\d+) rows were acknowledged, \d+ were not: all \1 are there/);
  expect(text).toMatch(/The whole demo took [\d.]+ s\.\n`make demo KEEP=1` leaves everything up/);
  expect(text).toContain("kubectl-moco status demo -w");
  await expectNothingLeft(demo);
});

test.each([
  ["at its beginning", /1\. A Kubernetes node/],
  ["while the node comes up", /certificates\n/],
  ["while images are loaded", /pvc-autoresizer:dev: sha256/],
  ["while a chart is installed", /helm upgrade --install moco /],
  ["while the MySQLCluster is made", /4\. A MySQLCluster[^]*instances are Ready/],
  ["in the middle of the story", /kill -9 of mysqld/],
])("Ctrl-C %s cleans up", { timeout }, async (_, moment) => {
  const demo = await start();
  await demo.says(moment);
  demo.interrupt();
  const { code, output } = await demo.ended;
  expect(code, output).toBe(130);
  expect(output).toContain("Interrupted: cleaning up");
  expect(output).not.toContain("demo: ");
  await expectNothingLeft(demo);
});

test("KEEP=1 leaves it up, and says how to go on and how to clean up", { timeout }, async () => {
  const demo = await start(["KEEP=1"]);
  const { code, output } = await demo.ended;
  expect(code, output).toBe(0);
  // Not on a terminal: the cluster's state whenever it is another one.
  expect(act(output, "A failover")).toMatch(/^ +[\d.]+ s {2}(?!Healthy)[A-Z]\w+: \d of 3 instances are Ready/m);
  expect(output).not.toContain("\x1b");

  const [, hints = ""] = output.split(/^Everything is still up.*\n/m);
  const [kubeconfig, status, , get, takeDown] = hints.trimEnd().split("\n");
  const shell = async (...lines: (string | undefined)[]): Promise<string> =>
    (await run("bash", ["-ec", lines.join("\n")], { cwd: root })).stdout;
  expect(await shell(kubeconfig, status!.replace(/ -w .*/, ""))).toMatch(/MySQLCluster default\/demo +Healthy/);
  expect(await shell(get)).toMatch(/mysqlcluster.moco.cybozu.com\/demo[^]*pod\/writer/);

  const again = await (await start()).ended;
  expect(again).toMatchObject({ code: 2, output: expect.stringContaining(`there is a local cluster ${name} already`) });
  const { kubeconfigPath } = await cluster(name);
  const variables = ["EXISTING=1", "IMAGES=registry.example.com/moco"];
  const taken = await (await start(variables, { kubeconfigPath })).ended;
  expect(taken).toMatchObject({ code: 2, output: expect.stringContaining("that cluster runs it already: Deployment") });
  expect(await shell(get)).toContain("pod/writer");

  await shell(takeDown);
  await expectNothingLeft(demo);
});
