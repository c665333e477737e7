/**
 * The controller with many clusters on a control plane without nodes: how long, how many requests, how much memory. The
 * peer is MOCO 0.36, measured in the same way on a machine of the same size; its figures are fixed here.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { bundle } from "@moco-ts/bundle";
import { MySQLClusters } from "@moco-ts/api";
import {
  ClusterRoleBindings,
  ConfigMaps,
  connect,
  CustomResourceDefinitions,
  defineResource,
  loadKubeconfig,
  Namespaces,
  Secrets,
  StatefulSets,
  type Client,
  type KubeObject,
} from "@moco-ts/kube";
import { startControlPlane } from "@moco-ts/local-kubernetes";
import { parse, stringify } from "yaml";
import { OperatorProcess } from "./operator/process.ts";

export const operatorDefaults = { clusters: 200, foreign: 20_000 };
type Options = typeof operatorDefaults;

const moco = { create: 30.7, requests: 25.5, cpu: 10.6, resident: 104, restart: 25.3, restartRequests: 654 };
const root = join(import.meta.dirname, "..");
const user = "bench-operator";
const namespace = "bench";
const metricsPort = 18_080;

export async function benchOperator({ clusters, foreign }: Options): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "moco-ts-bench-"));
  const controlPlane = await startControlPlane({ name: "bench-operator" });
  const client = connect(await loadKubeconfig({ environment: {}, path: controlPlane.kubeconfigPath }), {
    qps: Infinity,
  });
  const started: OperatorProcess[] = [];
  const start = (file: string, kubeconfig: string): OperatorProcess => {
    started.push(new OperatorProcess(file, kubeconfig, metricsPort));
    return started.at(-1)!;
  };
  try {
    await prepare(client);
    const kubeconfig = await impersonating(controlPlane.kubeconfigPath, directory);
    const file = join(directory, "moco-controller.mjs");
    await bundle(join(root, "packages/operator/main.ts"), file);

    const first = start(file, kubeconfig);
    await delay(5_000);
    const began = performance.now();
    const before = await requests(client);
    await inParallel(clusters, (index) => createCluster(client, index));
    await untilAllMade(client, clusters, first);
    const seconds = (performance.now() - began) / 1000;
    await delay(5_000);
    const made = (await requests(client)) - before;
    console.log(`${clusters} clusters of one replica`);
    print("until all have their StatefulSet", seconds, "s", moco.create);
    print("requests per cluster", made / clusters, "", moco.requests);
    print("CPU", first.cpu, "s", moco.cpu);
    print("resident memory", first.resident, "MiB", moco.resident);
    await first.stop();

    const beforeRestart = await requests(client);
    const restarted = performance.now();
    const second = start(file, kubeconfig);
    await second.untilReconciled(clusters);
    console.log("a restart of the controller");
    print("until all are reconciled", (performance.now() - restarted) / 1000, "s", moco.restart);
    print("requests", (await requests(client)) - beforeRestart, "", moco.restartRequests);

    const resident = second.resident;
    await inParallel(foreign, (index) => createForeign(client, index));
    await delay(5_000);
    console.log(`${foreign} foreign ConfigMaps and Secrets`);
    console.log(`  ${"growth of resident memory".padEnd(36)} ${(second.resident - resident).toFixed(1)} MiB`);
  } finally {
    await Promise.all(started.map((each) => each.stop()));
    await client.close();
    await controlPlane.stop();
    await rm(directory, { recursive: true });
  }
}

interface FlowSchema extends KubeObject {
  spec: object;
}
const FlowSchemas = defineResource<FlowSchema>(
  "flowcontrol.apiserver.k8s.io/v1",
  "FlowSchema",
  "flowschemas",
  "Cluster",
);

/** Definitions, namespaces, and a flow schema of its own for the controller, by which the API server counts. */
async function prepare(client: Client): Promise<void> {
  const folder = join(root, "charts/moco/generated/crds");
  for (const file of await readdir(folder)) {
    await client.create(CustomResourceDefinitions, parse(await readFile(join(folder, file), "utf8")));
  }
  for (const name of [namespace, "moco-system"]) await client.create(Namespaces, { metadata: { name } });
  // Not by a group that is exempt from being counted.
  await client.create(ClusterRoleBindings, {
    metadata: { name: user },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "User", name: user, apiGroup: "rbac.authorization.k8s.io" }],
  });
  await client.create(FlowSchemas, {
    metadata: { name: user },
    spec: {
      matchingPrecedence: 2,
      priorityLevelConfiguration: { name: "workload-high" },
      rules: [
        {
          subjects: [{ kind: "User", user: { name: user } }],
          resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"], clusterScope: true }],
        },
      ],
    },
  });
  await delay(3_000);
}

async function impersonating(kubeconfigPath: string, directory: string): Promise<string> {
  const config = parse(await readFile(kubeconfigPath, "utf8"));
  Object.assign(config.users[0].user, { as: user });
  const path = join(directory, "kubeconfig");
  await writeFile(path, stringify(config), { mode: 0o600 });
  return path;
}

/** What the API server has carried out for the controller, watches and leases included. */
async function requests(client: Client): Promise<number> {
  const { body } = await client.raw("/metrics");
  const lines = body.split("\n").filter((line) => line.startsWith("apiserver_flowcontrol_dispatched_requests_total{"));
  const own = lines.filter((line) => line.includes(`flow_schema="${user}"`));
  return own.reduce((sum, line) => sum + Number(line.split("} ")[1]), 0);
}

async function createCluster(client: Client, index: number): Promise<void> {
  await client.create(MySQLClusters, {
    metadata: { name: `cluster-${index}`, namespace, finalizers: ["moco.cybozu.com/mysqlcluster"] },
    spec: {
      replicas: 1,
      serverIDBase: 1000 + index,
      podTemplate: { spec: { containers: [{ name: "mysqld", image: "mysql:8.4" }] } },
      volumeClaimTemplates: [
        { metadata: { name: "mysql-data" }, spec: { resources: { requests: { storage: "1Gi" } } } },
      ],
    } as never,
  });
}

async function createForeign(client: Client, index: number): Promise<void> {
  const metadata = { name: `foreign-${index}`, namespace };
  if (index % 2 === 0) await client.create(ConfigMaps, { metadata, data: { text: "x".repeat(1000) } });
  else await client.create(Secrets, { metadata, data: { text: Buffer.from("x".repeat(750)).toString("base64") } });
}

async function untilAllMade(client: Client, count: number, operator: OperatorProcess): Promise<void> {
  for (;;) {
    operator.assertRunning();
    const { items } = await client.list(StatefulSets, { namespace, metadataOnly: true });
    if (items.length >= count) return;
    await delay(100);
  }
}

async function inParallel(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: 20 }, worker));
}

function print(what: string, value: number, unit: string, peer: number): void {
  const ratio = (value / peer).toFixed(2);
  console.log(`  ${what.padEnd(36)} ${value.toFixed(1)} ${unit}`.padEnd(56) + `${ratio} of MOCO's ${peer}`);
}
