/** A running cluster, as tests and commands see it. */
import { controlPlaneFiles } from "../control-plane/files.ts";
import type { Endpoint } from "../faults/endpoint.ts";
import { cutNetwork, healNetwork, type Cut, type CutOptions } from "../faults/network.ts";
import { powerOff, powerOn, setMemoryPressure, setNodeFrozen } from "../faults/node.ts";
import { podProcesses, signalPod, type PodTarget } from "../faults/pod.ts";
import type { ProcessHandle } from "../process/managed.ts";
import { fillVolume, loseDisk, replaceDisk, unfillVolume, type VolumeTarget } from "../volumes/faults.ts";
import type { Filling } from "../volumes/fill.ts";
import { run, type RunOptions } from "../system/run.ts";
import { clusterDirectory, defaultClusterName, loadDefinition, type ClusterDefinition } from "./definition.ts";
import { clusterNetwork } from "./network.ts";
import { allProcesses, clusterProcesses, serverUrl, type NodeProcesses } from "./processes.ts";

export interface ClusterNode {
  readonly name: string;
  readonly address: string;
  /** CIDR of its pods. */
  readonly pods: string;
  /** The socket of its containerd, for `ctr --address`. */
  readonly containerdSocket: string;
  readonly containerd: ProcessHandle;
  readonly kubelet: ProcessHandle;
  readonly kubeProxy: ProcessHandle;
  /** Turns the node off as if its power was cut: nobody is told, no connection is closed. */
  powerOff(): Promise<void>;
  /** Turns it on again. Its kubelet starts the containers of its pods anew. */
  powerOn(): Promise<void>;
  /** Stops every process of the node in its tracks, its containers' too. */
  freeze(): void;
  thaw(): void;
  /** Its kubelet finds that it has too little memory, and evicts pods; or that it has enough. */
  setMemoryPressure(pressed: boolean): Promise<void>;
}

/** What can be done to the network and to pods. */
export interface Faults {
  /**
   * Silently drops every packet between two endpoints, also of open connections. Pods are looked up once: one that is
   * made anew has another address and is not cut off.
   */
  cut(from: Endpoint, to: Endpoint, options?: CutOptions): Promise<Cut>;
  /** Heals every cut. */
  heal(): Promise<void>;
  /** SIGSTOP for the processes of a container. */
  freeze(target: PodTarget): Promise<void>;
  thaw(target: PodTarget): Promise<void>;
  /** Default signal: SIGKILL. */
  kill(target: PodTarget, signal?: NodeJS.Signals): Promise<void>;
  /** The pids of a container's processes, as the machine sees them. */
  pids(target: PodTarget): Promise<number[]>;
  /** Uses up space or inodes of a volume. Calls add up. */
  fillVolume(target: VolumeTarget, filling: Filling): Promise<void>;
  /** Takes away again what `fillVolume` put there. */
  unfillVolume(target: VolumeTarget): Promise<void>;
  /**
   * A volume's disk breaks, and nothing on it can be saved. A pod that uses it gets I/O errors; one that is started
   * afterwards can't mount it. Delete claim and pod to get a new volume, or put a new disk in.
   */
  loseDisk(target: VolumeTarget): Promise<void>;
  /** Puts a new, empty disk into the place of a lost one. Pods see it once they are started anew. */
  replaceDisk(target: VolumeTarget): Promise<void>;
}

export interface Cluster {
  readonly name: string;
  readonly kubeconfigPath: string;
  readonly server: string;
  /** The address at which pods and the API server reach programs of the host. */
  readonly hostAddress: string;
  readonly auditLogPath: string | undefined;
  /** Holds all of the cluster's files. `down` removes it. */
  readonly directory: string;
  readonly kubectlPath: string;
  readonly etcd: ProcessHandle;
  readonly apiServer: ProcessHandle;
  readonly controllerManager: ProcessHandle;
  readonly scheduler: ProcessHandle;
  readonly dns: ProcessHandle | undefined;
  readonly nodes: ClusterNode[];
  readonly faults: Faults;
  /** Every process by its name, as `status` and `logs` know it: "etcd", "node-1/kubelet" ... */
  readonly processes: ReadonlyMap<string, ProcessHandle & { readonly logFile: string }>;
  /** Runs kubectl to its end and returns what it printed. */
  kubectl(args: string[], options?: RunOptions): Promise<string>;
}

/** The cluster of that name, which must have been brought up. */
export async function cluster(name: string = defaultClusterName): Promise<Cluster> {
  const definition = await loadDefinition(name);
  if (definition === undefined) {
    throw new Error(`there is no cluster ${name}: run "local-kubernetes up --name ${name}"`);
  }
  return clusterFrom(definition);
}

function clusterFrom(definition: ClusterDefinition): Cluster {
  const { auditLog, binaries, controlPlaneOnly, name, networkNumber } = definition;
  const directory = clusterDirectory(name);
  const files = controlPlaneFiles(directory);
  const kubectlPath = binaries["kubectl"] ?? "kubectl";
  const processes = clusterProcesses(definition);
  return {
    name,
    kubeconfigPath: files.kubeconfig,
    server: serverUrl(definition),
    hostAddress: controlPlaneOnly ? "127.0.0.1" : clusterNetwork(networkNumber).host,
    auditLogPath: auditLog ? files.auditLog : undefined,
    directory,
    kubectlPath,
    kubectl: (args, options) => run(kubectlPath, ["--kubeconfig", files.kubeconfig, ...args], options),
    etcd: processes.etcd,
    apiServer: processes.apiServer,
    controllerManager: processes.controllerManager,
    scheduler: processes.scheduler,
    dns: processes.dns,
    nodes: processes.nodes.map((node) => clusterNode(name, node)),
    faults: {
      cut: (from, to, options) => cutNetwork(definition, from, to, options),
      heal: () => healNetwork(definition),
      freeze: (target) => signalPod(definition, target, "SIGSTOP"),
      thaw: (target) => signalPod(definition, target, "SIGCONT"),
      kill: (target, signal = "SIGKILL") => signalPod(definition, target, signal),
      pids: async (target) => (await podProcesses(definition, target)).map(({ pid }) => pid),
      fillVolume: (target, filling) => fillVolume(definition, target, filling),
      unfillVolume: (target) => unfillVolume(definition, target),
      loseDisk: (target) => loseDisk(definition, target),
      replaceDisk: (target) => replaceDisk(definition, target),
    },
    processes: new Map(allProcesses(processes).map((each) => [each.name, each])),
  };
}

function clusterNode(clusterName: string, node: NodeProcesses): ClusterNode {
  const { place, containerd, kubelet, kubeProxy } = node;
  return {
    name: place.name,
    address: place.address,
    pods: place.pods,
    containerdSocket: place.containerdSocket,
    containerd,
    kubelet,
    kubeProxy,
    powerOff: () => powerOff(clusterName, node),
    powerOn: () => powerOn(clusterName, node),
    freeze: () => setNodeFrozen(clusterName, node, true),
    thaw: () => setNodeFrozen(clusterName, node, false),
    setMemoryPressure: (pressed) => setMemoryPressure(node, pressed),
  };
}
