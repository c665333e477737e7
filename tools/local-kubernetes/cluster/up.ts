import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { resolveBinaries, type Binary } from "../binaries/resolve.ts";
import { controlPlaneFiles, ensureControlPlaneFiles } from "../control-plane/files.ts";
import { freeControlPlanePorts, usualPorts } from "../control-plane/ports.ts";
import { ensureNodeFiles, nodeGroup } from "../node/files.ts";
import { nodePlaces } from "../node/paths.ts";
import { ensurePauseImage } from "../node/pause.ts";
import { getObject } from "../system/api.ts";
import { cacheDirectory } from "../system/cache.ts";
import { createRootGroup } from "../system/cgroups.ts";
import { whyNoNode } from "../system/environment.ts";
import { withLock } from "../system/lock.ts";
import { reportToStderr, type Report } from "../system/report.ts";
import { run } from "../system/run.ts";
import { waitFor } from "../system/wait.ts";
import {
  assertClusterName,
  clusterDirectory,
  clusterNames,
  defaultClusterName,
  loadDefinition,
  saveDefinition,
  type ClusterDefinition,
} from "./definition.ts";
import { writeCorefile } from "./dns.ts";
import { cluster, type Cluster } from "./handle.ts";
import { createNetwork, findNetworkNumber } from "./namespaces.ts";
import { clusterNetwork, maximumNodes } from "./network.ts";
import { ensurePackages } from "./packages.ts";
import { clusterProcesses, serverUrl, type NodeProcesses } from "./processes.ts";
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
}

const centralPrograms = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl"];
const nodePrograms = ["kubelet", "kube-proxy", "coredns"];

/** Brings a cluster up, or what is missing of it, and returns when its nodes are Ready. */
export async function up(options: UpOptions = {}): Promise<Cluster> {
  const { name = defaultClusterName, report = reportToStderr } = options;
  assertClusterName(name);
  const progress = new Progress(report);
  return withLock(
    lockFile(name),
    async () => {
      const definition = await define(name, options, report, progress);
      await bringUp(definition, progress);
      return cluster(name);
    },
    () => report(`waiting for another process that works on the cluster ${name}`),
  );
}

/** In the cache, as `down` leaves nothing in the state directory. */
export function lockFile(name: string): string {
  return join(cacheDirectory(), "locks", name);
}

async function define(
  name: string,
  options: UpOptions,
  report: Report,
  progress: Progress,
): Promise<ClusterDefinition> {
  const existing = await loadDefinition(name);
  const controlPlaneOnly = options.controlPlaneOnly ?? existing?.controlPlaneOnly ?? false;
  const auditLog = options.auditLog ?? existing?.auditLog ?? false;
  const nodes = controlPlaneOnly ? 0 : (options.nodes ?? existing?.nodes ?? 1);
  if (!controlPlaneOnly) {
    const reason = whyNoNode();
    if (reason !== undefined) {
      throw new Error(reason);
    }
    if (!Number.isInteger(nodes) || nodes < 1 || nodes > maximumNodes) {
      throw new Error(`a cluster has between 1 and ${maximumNodes} nodes, not ${nodes}`);
    }
  }
  if (existing !== undefined) {
    const changed =
      existing.controlPlaneOnly !== controlPlaneOnly || existing.auditLog !== auditLog || nodes < existing.nodes;
    if (changed) {
      throw new Error(
        `the cluster ${name} exists with other options: run "local-kubernetes down --name ${name}" first`,
      );
    }
  }
  if (!controlPlaneOnly) {
    await ensurePackages(report);
  }
  const binaries = await resolveBinaries([...centralPrograms, ...(controlPlaneOnly ? [] : nodePrograms)], { report });
  progress.done(describe([...binaries.values()]));

  const complete = (networkNumber: number, ports: ClusterDefinition["ports"]): ClusterDefinition => ({
    name,
    controlPlaneOnly,
    auditLog,
    nodes,
    networkNumber,
    ports,
    binaries: Object.fromEntries([...binaries.values()].map((binary) => [binary.name, binary.path])),
  });
  if (existing !== undefined) {
    const definition = complete(existing.networkNumber, existing.ports);
    await saveDefinition(definition);
    return definition;
  }
  // Two clusters that are made at the same time must not choose the same network.
  return withLock(lockFile(".allocation"), async () => {
    const definition = controlPlaneOnly
      ? complete(0, await freeControlPlanePorts())
      : complete(await findNetworkNumber(await takenNetworks()), usualPorts);
    await saveDefinition(definition);
    return definition;
  });
}

async function takenNetworks(): Promise<number[]> {
  const definitions = await Promise.all((await clusterNames()).map(loadDefinition));
  return definitions.flatMap((definition) => definition?.networkNumber ?? []);
}

async function bringUp(definition: ClusterDefinition, progress: Progress): Promise<void> {
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

  const processes = clusterProcesses(definition);
  const served = (async () => {
    await processes.etcd.start();
    await processes.apiServer.start();
    progress.done(`API server at ${server}`);
  })();
  const controlled = (async () => {
    await served;
    await Promise.all([processes.controllerManager.start(), processes.scheduler.start(), processes.dns?.start()]);
    progress.done(controlPlaneOnly ? "controllers" : "controllers and DNS");
  })();
  const provided = (async () => {
    await served;
    await processes.volumes?.start();
  })();
  await Promise.all([controlled, provided, ...processes.nodes.map((node) => startNode(node, served))]);
  await Promise.all(
    processes.nodes.map(async ({ place }) => {
      await untilReady(files.kubeconfig, place.name);
      progress.done(`${place.name} is Ready`);
    }),
  );
}

async function startNode(node: NodeProcesses, served: Promise<void>): Promise<void> {
  await node.containerd.start();
  await loadPauseImage(node.place.containerdSocket);
  await served;
  await Promise.all([node.kubelet.start(), node.kubeProxy.start()]);
}

async function loadPauseImage(socket: string): Promise<void> {
  const archive = await ensurePauseImage();
  await run("ctr", ["--address", socket, "--namespace", "k8s.io", "images", "import", archive]);
}

interface NodeObject {
  status?: { conditions?: Array<{ type: string; status: string }> };
}

async function untilReady(kubeconfig: string, node: string): Promise<void> {
  await waitFor(
    async () => {
      const object = await getObject<NodeObject>(kubeconfig, `/api/v1/nodes/${node}`);
      return object?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
    },
    { what: `${node} to be Ready`, interval: 200 },
  );
}

function describe(binaries: Binary[]): string {
  const byOrigin = Map.groupBy(binaries, (binary) => binary.origin);
  const parts = [...byOrigin].map(([origin, group]) => `${group.map(({ name }) => name).join(", ")} from ${origin}`);
  return `binaries: ${parts.join("; ")}`;
}
