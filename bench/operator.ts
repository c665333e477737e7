/**
 * The controller with many clusters on a control plane without nodes: how long, how many requests, how much memory. The
 * peer is MOCO 0.36, measured in the same way on an idle machine of two cores; its figures are fixed here. Times are
 * worth something only where nothing else runs; requests and memory are the same anywhere.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { prepareImages } from "@moco-ts/bundle";
import { connect, loadKubeconfig, StatefulSets, type Client } from "@moco-ts/kube";
import { createCountedUser, startControlPlane, type CountedUser } from "@moco-ts/local-kubernetes";
import { parse, stringify } from "yaml";
import { createCluster, createForeign, inParallel, namespace, prepare } from "./operator/objects.ts";
import { OperatorProcess } from "./operator/process.ts";

export const operatorDefaults = { clusters: 200, foreign: 20_000 };
type Options = typeof operatorDefaults;

const moco = { create: 30.7, requests: 25.5, cpu: 10.6, resident: 104, restart: 25.3, restartRequests: 654 };
const user = "bench-operator";
const metricsPort = 18_080;

export async function benchOperator(options: Options): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "moco-ts-bench-"));
  const controlPlane = await startControlPlane({ name: "bench-operator" });
  const config = await loadKubeconfig({ environment: {}, path: controlPlane.kubeconfigPath });
  const client = connect(config, { qps: Infinity });
  const started: OperatorProcess[] = [];
  try {
    await prepare(client);
    const counted = await createCountedUser(client, config, user);
    const kubeconfig = await impersonating(controlPlane.kubeconfigPath, directory);
    const image = join(await prepareImages("bench-images"), "moco-controller");
    const start = async (): Promise<OperatorProcess> => {
      started.push(await OperatorProcess.start({ image, directory, kubeconfig, metricsPort }));
      return started.at(-1)!;
    };
    await measureCreation(client, counted, await start(), options);
    await started[0]!.stop();
    const second = await measureRestart(counted, start, options);
    await measureForeign(client, second, options);
  } finally {
    await Promise.all(started.map((each) => each.stop()));
    await client.close();
    await controlPlane.stop();
    await rm(directory, { recursive: true });
  }
}

async function measureCreation(
  client: Client,
  counted: CountedUser,
  operator: OperatorProcess,
  { clusters }: Options,
): Promise<void> {
  await untilQuiet(counted, operator);
  const before = await countAll(counted);
  const began = performance.now();
  await inParallel(clusters, (index) => createCluster(client, index));
  await untilAllMade(client, clusters, operator);
  const seconds = (performance.now() - began) / 1000;
  await untilQuiet(counted, operator);
  console.log(`${clusters} clusters of one replica`);
  print("until all have their StatefulSet", seconds, "s", moco.create);
  print("requests per cluster", ((await countAll(counted)) - before) / clusters, "", moco.requests);
  print("CPU", operator.cpu, "s", moco.cpu);
  printMemory(operator);
}

async function measureRestart(
  counted: CountedUser,
  start: () => Promise<OperatorProcess>,
  { clusters }: Options,
): Promise<OperatorProcess> {
  const before = await countAll(counted);
  const began = performance.now();
  const operator = await start();
  await operator.untilReconciled(clusters);
  const seconds = (performance.now() - began) / 1000;
  await untilQuiet(counted, operator);
  console.log("a restart of the controller");
  print("until all are reconciled", seconds, "s", moco.restart);
  print("requests", (await countAll(counted)) - before, "", moco.restartRequests);
  printMemory(operator);
  return operator;
}

async function measureForeign(client: Client, operator: OperatorProcess, { foreign }: Options): Promise<void> {
  const before = operator.resident;
  await inParallel(foreign, (index) => createForeign(client, index));
  await delay(5_000);
  console.log(`${foreign} foreign Pods, Secrets and ConfigMaps`);
  printMemory(operator);
  console.log(`  ${"growth of resident memory".padEnd(36)} ${(operator.resident - before).toFixed(1)} MiB`);
}

/** The same configuration, as the user whose requests are counted. */
async function impersonating(kubeconfigPath: string, directory: string): Promise<string> {
  const config = parse(await readFile(kubeconfigPath, "utf8"));
  Object.assign(config.users[0].user, { as: user });
  const path = join(directory, "kubeconfig");
  await writeFile(path, stringify(config), { mode: 0o600 });
  return path;
}

/** Watches and leases included. */
async function countAll(counted: CountedUser): Promise<number> {
  const { leases, others } = await counted.requests();
  return leases + others;
}

/** Until some controller has had the lease, and seconds have passed without another request. */
async function untilQuiet(counted: CountedUser, operator: OperatorProcess): Promise<void> {
  for (let last = -1; ; await delay(5_000)) {
    operator.assertRunning();
    const { leases, others } = await counted.requests();
    if (leases > 0 && others === last) return;
    last = others;
  }
}

async function untilAllMade(client: Client, count: number, operator: OperatorProcess): Promise<void> {
  for (;;) {
    operator.assertRunning();
    const { items } = await client.list(StatefulSets, { namespace, metadataOnly: true });
    if (items.length >= count) return;
    await delay(100);
  }
}

function print(what: string, value: number, unit: string, peer: number): void {
  const ratio = (value / peer).toFixed(2);
  console.log(`  ${what.padEnd(36)} ${value.toFixed(1)} ${unit}`.padEnd(56) + `${ratio} of MOCO's ${peer}`);
}

function printMemory(operator: OperatorProcess): void {
  print("resident memory", operator.resident, "MiB", moco.resident);
  console.log(`  ${"of it the process's own".padEnd(36)} ${operator.own.toFixed(1)} MiB`);
}
