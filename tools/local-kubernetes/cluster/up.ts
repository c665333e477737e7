import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { controlPlaneFiles, ensureControlPlaneFiles } from "../control-plane/files.ts";
import { ensureNodeFiles, nodeGroup } from "../node/files.ts";
import { nodePlaces } from "../node/paths.ts";
import { ensurePauseImage } from "../node/pause.ts";
import { getObject } from "../system/api.ts";
import { createRootGroup } from "../system/cgroups.ts";
import { reportToStderr, type Report } from "../system/report.ts";
import { run } from "../system/run.ts";
import { waitFor } from "../system/wait.ts";
import { define } from "./define.ts";
import { assertClusterName, clusterDirectory, defaultClusterName, type ClusterDefinition } from "./definition.ts";
import { writeCorefile } from "./dns.ts";
import { cluster, type Cluster } from "./handle.ts";
import { withClusterLock } from "./lock.ts";
import { createNetwork } from "./namespaces.ts";
import { clusterNetwork } from "./network.ts";
import { clusterProcesses, serverUrl, type ClusterProcesses, type NodeProcesses } from "./processes.ts";
import { Progress } from "./progress.ts";

export interface UpOptions {
  /** Default: "moco". */
  name?: string;
  /** Default: 1, or as many as the cluster has. */
  nodes?: number;
  /** No node and no root: the API server and the controllers on the loopback address. Default: false. */
  controlPlaneOnly?: boolean;
  /** Log every request. It can't be changed while the cluster is up. Default: false, or as the cluster has it. */
  auditLog?: boolean;
  /** Told about progress. Default: standard error. */
  report?: Report;
  /** Ends it as soon as possible. What is there by then stays, for `down` or for another `up`. */
  signal?: AbortSignal;
}

/** Brings a cluster up, or what is missing of it, and returns when its nodes are Ready. */
export async function up(options: UpOptions = {}): Promise<Cluster> {
  const { name = defaultClusterName, report = reportToStderr, signal } = options;
  assertClusterName(name);
  const progress = new Progress(report);
  return withClusterLock(name, report, async () => {
    const definition = await define(name, options, report, progress);
    signal?.throwIfAborted();
    await prepare(definition, progress);
    await startAll(definition, progress, signal);
    return cluster(name);
  });
}

/** Everything that is there before the first process: certificates, configuration, network. */
async function prepare(definition: ClusterDefinition, progress: Progress): Promise<void> {
  const { controlPlaneOnly, name, networkNumber } = definition;
  const directory = clusterDirectory(name);
  const files = controlPlaneFiles(directory);
  const server = serverUrl(definition);
  await mkdir(join(directory, "run"), { recursive: true });

  const network = clusterNetwork(networkNumber);
  const serviceNames = ["kubernetes", "kubernetes.default", "kubernetes.default.svc", "localhost"];
  const addresses = controlPlaneOnly ? ["127.0.0.1"] : [network.controlPlane, network.kubernetesService];
  const authority = await ensureControlPlaneFiles(files, { name, server, hosts: [...serviceNames, ...addresses] });
  if (!controlPlaneOnly) {
    await createNetwork(definition);
    await writeCorefile(definition, files.kubeconfig);
    for (const place of nodePlaces(definition)) {
      await ensureNodeFiles(definition, place, authority, server);
      createRootGroup(nodeGroup(name, place.name));
    }
    progress.done(`network ${network.range} and certificates`);
  }
}

/** Starts what does not run. As soon as one fails, the others give up. */
async function startAll(definition: ClusterDefinition, progress: Progress, interrupt?: AbortSignal): Promise<void> {
  const processes = clusterProcesses(definition);
  const failure = new AbortController();
  const signal = AbortSignal.any([failure.signal, ...(interrupt ? [interrupt] : [])]);
  const served = startServer(processes, signal);
  const starts = [
    served.then(() => progress.done(`API server at ${serverUrl(definition)}`)),
    startControllers(processes, served, signal).then(() => progress.done("controllers")),
    served.then(() => processes.volumes?.start(signal)),
    ...processes.nodes.map(async (node) => {
      await startNode(definition, node, served, signal);
      progress.done(`${node.place.name} is Ready`);
    }),
  ];
  try {
    await Promise.all(starts);
  } catch (error) {
    failure.abort();
    // Whoever takes the cluster down now must not meet one that is still being started.
    await Promise.allSettled(starts);
    throw error;
  }
}

async function startServer({ etcd, apiServer }: ClusterProcesses, signal: AbortSignal): Promise<void> {
  await etcd.start(signal);
  await apiServer.start(signal);
}

async function startControllers(
  processes: ClusterProcesses,
  served: Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  await served;
  const { controllerManager, dns, scheduler } = processes;
  await Promise.all([controllerManager.start(signal), scheduler.start(signal), dns?.start(signal)]);
}

async function startNode(
  definition: ClusterDefinition,
  { containerd, kubelet, kubeProxy, place }: NodeProcesses,
  served: Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  await containerd.start(signal);
  const importing = ["images", "import", await ensurePauseImage()];
  await run("ctr", ["--address", place.containerdSocket, "--namespace", "k8s.io", ...importing], { signal });
  await served;
  await Promise.all([kubelet.start(signal), kubeProxy.start(signal)]);
  const { kubeconfig } = controlPlaneFiles(clusterDirectory(definition.name));
  await waitFor(() => isReady(kubeconfig, place.name), { what: `${place.name} to be Ready`, interval: 200, signal });
}

interface NodeObject {
  status?: { conditions?: Array<{ type: string; status: string }> };
}

async function isReady(kubeconfig: string, node: string): Promise<boolean> {
  const object = await getObject<NodeObject>(kubeconfig, `/api/v1/nodes/${node}`);
  return object?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
}
