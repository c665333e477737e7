/** A running cluster, as tests and commands see it. */
import { controlPlaneFiles } from "../control-plane/files.ts";
import type { ProcessHandle } from "../process/managed.ts";
import { clusterDirectory, defaultClusterName, loadDefinition, type ClusterDefinition } from "./definition.ts";
import { clusterNetwork } from "./network.ts";
import { allProcesses, clusterProcesses, serverUrl } from "./processes.ts";

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
  /** Every process by its name, as `status` and `logs` know it: "etcd", "node-1/kubelet" ... */
  readonly processes: ReadonlyMap<string, ProcessHandle & { readonly logFile: string }>;
}

/** The cluster of that name, which must have been brought up. */
export async function cluster(name: string = defaultClusterName): Promise<Cluster> {
  const definition = await loadDefinition(name);
  if (definition === undefined) {
    throw new Error(`there is no cluster ${name}: run "local-kubernetes up --name ${name}"`);
  }
  return clusterFrom(definition);
}

export function clusterFrom(definition: ClusterDefinition): Cluster {
  const { auditLog, binaries, controlPlaneOnly, name, networkNumber } = definition;
  const directory = clusterDirectory(name);
  const files = controlPlaneFiles(directory);
  const processes = clusterProcesses(definition);
  return {
    name,
    kubeconfigPath: files.kubeconfig,
    server: serverUrl(definition),
    hostAddress: controlPlaneOnly ? "127.0.0.1" : clusterNetwork(networkNumber).host,
    auditLogPath: auditLog ? files.auditLog : undefined,
    directory,
    kubectlPath: binaries["kubectl"] ?? "kubectl",
    etcd: processes.etcd,
    apiServer: processes.apiServer,
    controllerManager: processes.controllerManager,
    scheduler: processes.scheduler,
    dns: processes.dns,
    nodes: processes.nodes.map(({ place, containerd, kubelet, kubeProxy }) => ({
      name: place.name,
      address: place.address,
      pods: place.pods,
      containerdSocket: place.containerdSocket,
      containerd,
      kubelet,
      kubeProxy,
    })),
    processes: new Map(allProcesses(processes).map((each) => [each.name, each])),
  };
}
