/**
 * Our informer against the one of @kubernetes/client-node: both follow the same ConfigMaps of one real API server, each in a
 * process of its own, bundled and limited as programs in pods are.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigMaps, connect, loadKubeconfig, Namespaces, type Client } from "@moco-ts/kube";
import { startControlPlane } from "@moco-ts/local-kubernetes";
import { bundle } from "./informer/bundle.ts";
import type { Measurement, Target } from "./informer/candidate.ts";
import { MeasuredProcess } from "./informer/measured-process.ts";

export const informerDefaults = { objects: 10_000, events: 5_000, foreign: 20_000, rounds: 3 };
type Options = typeof informerDefaults;

const candidates = ["runtime", "client-node"] as const;
/** A number for each candidate, or one for each round. */
type Results = Record<(typeof candidates)[number], number[]>;
const namespace = "bench";
const megabyte = 1e6;

export async function benchInformer(options: Options): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "moco-ts-bench-"));
  const controlPlane = await startControlPlane({ name: "bench" });
  const { kubeconfigPath } = controlPlane;
  const config = await loadKubeconfig({ environment: {}, path: kubeconfigPath });
  const client = connect(config, { qps: Infinity });
  try {
    const target = { config, kubeconfigPath, namespace, labelSelector: "bench=ours" };
    const running = await measureSync(client, target, directory, options);
    await measureEvents(client, running, options);
    await measureForeign(client, running, options);
    await Promise.all(running.map((each) => each.stop()));
  } finally {
    await client.close();
    await controlPlane.stop();
    await rm(directory, { recursive: true });
  }
}

/** Returns the processes of the last round. */
async function measureSync(
  client: Client,
  target: Target,
  directory: string,
  { objects, rounds }: Options,
): Promise<MeasuredProcess[]> {
  console.log(`- creating ${objects} ConfigMaps of 1 kB`);
  await client.create(Namespaces, { metadata: { name: namespace } });
  await inParallel(objects, (index) => put(client, `ours-${index}`, "ours", 0));
  const paths = await Promise.all(
    candidates.map((name) => bundle(join(import.meta.dirname, "informer", `${name}.ts`), name, directory)),
  );
  const time: Results = { runtime: [], "client-node": [] };
  const resident: Results = { runtime: [], "client-node": [] };
  const own: Results = { runtime: [], "client-node": [] };
  for (let round = 1; ; round++) {
    const running: MeasuredProcess[] = [];
    for (const [index, name] of candidates.entries()) {
      const candidate = new MeasuredProcess(paths[index]!);
      const synced = await candidate.ask({ order: "sync", target });
      if (synced.objects !== objects) throw new Error(`${name} has ${synced.objects} objects instead of ${objects}`);
      const settled = await candidate.settled();
      time[name].push(synced.elapsed);
      resident[name].push(settled.resident / megabyte);
      own[name].push(settled.own / megabyte);
      running.push(candidate);
    }
    if (round < rounds) {
      await Promise.all(running.map((each) => each.stop()));
      continue;
    }
    print(`time to sync ${objects} ConfigMaps`, "ms", time);
    print("resident memory after it", "MB", resident);
    print("the processes' own part of it", "MB", own);
    return running;
  }
}

/** Both get the same events at the same time; how fast they come is up to the API server, so CPU time is compared. */
async function measureEvents(client: Client, running: MeasuredProcess[], { objects, events }: Options): Promise<void> {
  const before = await measureAll(running);
  const startedAt = performance.now();
  await inParallel(events, (index) => put(client, `ours-${index % objects}`, "ours", 1 + Math.floor(index / objects)));
  const after = await Promise.all(running.map((each, index) => each.until(before[index]!.events + events)));
  const rate = Math.round((events / (performance.now() - startedAt)) * 1000);
  const capacity = (index: number): number => (events / (after[index]!.cpu - before[index]!.cpu)) * 1e6;
  print(`events of 1 kB per second of CPU time (${rate}/s came)`, "", both(capacity));
}

async function measureForeign(client: Client, running: MeasuredProcess[], { foreign }: Options): Promise<void> {
  console.log(`- creating ${foreign} ConfigMaps that neither selects`);
  const before = await measureAll(running);
  await inParallel(foreign, (index) => put(client, `foreign-${index}`, "foreign", 0));
  const after = await measureAll(running);
  const growth = (index: number): number => (after[index]!.resident - before[index]!.resident) / megabyte;
  console.log(
    `growth of resident memory meanwhile: runtime ${growth(0).toFixed(1)} MB, client-node ${growth(1).toFixed(1)} MB`,
  );
}

function measureAll(running: MeasuredProcess[]): Promise<Measurement[]> {
  return Promise.all(running.map((each) => each.settled()));
}

/** As an operator would write it: labels as recommended, some files, applied. */
async function put(client: Client, name: string, selected: string, version: number): Promise<void> {
  const labels = {
    bench: selected,
    "app.kubernetes.io/name": "mysql",
    "app.kubernetes.io/instance": name,
    "app.kubernetes.io/managed-by": "bench",
  };
  const files = Array.from({ length: 10 }, (_, index) => [
    `setting-${index}.cnf`,
    `${name} ${version} `.padEnd(100, "x"),
  ]);
  const object = { metadata: { namespace, name, labels }, data: Object.fromEntries(files) as Record<string, string> };
  await client.apply(ConfigMaps, object, { fieldManager: "bench" });
}

async function inParallel(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: 24 }, worker));
}

function both(valueOf: (index: number) => number): Results {
  return { runtime: [valueOf(0)], "client-node": [valueOf(1)] };
}

function print(what: string, unit: string, values: Results): void {
  const [ours, theirs] = [median(values.runtime), median(values["client-node"])];
  const number = (value: number): string => `${value.toFixed(0)} ${unit}`.trim();
  console.log(`${what}: runtime ${number(ours)}, client-node ${number(theirs)}, ratio ${(ours / theirs).toFixed(2)}`);
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!;
}
