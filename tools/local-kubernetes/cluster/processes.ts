/** Every process of a cluster. All of it follows from the definition, so that any program can find and restart them. */
import { connect } from "node:net";
import { join } from "node:path";
import {
  apiServerUrl,
  controlPlaneComponents,
  loopbackApiServerFlags,
  type ComponentOptions,
} from "../control-plane/components.ts";
import { controlPlaneFiles } from "../control-plane/files.ts";
import { answers } from "../control-plane/probe.ts";
import { nodeGroup } from "../node/files.ts";
import { kubeletArguments } from "../node/kubelet.ts";
import { nodePlaces, type NodePlace } from "../node/paths.ts";
import type { ProcessSpecification } from "../process/launch.ts";
import { ManagedProcess } from "../process/managed.ts";
import { getObject } from "../system/api.ts";
import { clusterGroup } from "../system/cgroups.ts";
import { clusterDirectory, type ClusterDefinition } from "./definition.ts";
import { corefilePath } from "./dns.ts";
import { controlPlaneNamespace, enterNamespace } from "./namespaces.ts";
import { clusterNetwork } from "./network.ts";

export interface NodeProcesses {
  place: NodePlace;
  containerd: ManagedProcess;
  kubelet: ManagedProcess;
  kubeProxy: ManagedProcess;
}

export interface ClusterProcesses {
  etcd: ManagedProcess;
  apiServer: ManagedProcess;
  controllerManager: ManagedProcess;
  scheduler: ManagedProcess;
  /** Missing in a cluster without nodes, as are the next two. */
  dns: ManagedProcess | undefined;
  volumes: ManagedProcess | undefined;
  nodes: NodeProcesses[];
}

function controlPlaneSettings(definition: ClusterDefinition): ComponentOptions {
  const { auditLog, binaries, controlPlaneOnly, name, networkNumber, ports } = definition;
  const network = clusterNetwork(networkNumber);
  return {
    files: controlPlaneFiles(clusterDirectory(name)),
    address: controlPlaneOnly ? "127.0.0.1" : network.controlPlane,
    ports,
    services: controlPlaneOnly ? "10.0.0.0/16" : network.services,
    auditLog,
    binaries,
    apiServerFlags: controlPlaneOnly
      ? loopbackApiServerFlags
      : {
          // No kube-proxy runs beside the API server: it calls the pods behind a service by their addresses.
          "enable-aggregator-routing": true,
        },
  };
}

export function serverUrl(definition: ClusterDefinition): string {
  return apiServerUrl(controlPlaneSettings(definition));
}

export function clusterProcesses(definition: ClusterDefinition): ClusterProcesses {
  const { binaries, controlPlaneOnly, name } = definition;
  const directory = clusterDirectory(name);
  const logs = controlPlaneFiles(directory).logs;
  const components = controlPlaneComponents(controlPlaneSettings(definition));

  const daemon = (specification: ProcessSpecification, group?: string, prefix: string[] = []) => {
    const [command = "", ...args] = [...prefix, specification.command, ...specification.args];
    const recordFile = join(directory, "run", specification.name.replaceAll("/", "."));
    return new ManagedProcess({ ...specification, command, args, recordFile, group });
  };
  const central = (specification: ProcessSpecification) =>
    controlPlaneOnly
      ? daemon(specification)
      : daemon(
          specification,
          `${clusterGroup(name)}/control-plane/${specification.name}`,
          enterNamespace(controlPlaneNamespace(name)),
        );
  const onNode = (place: NodePlace, program: string, args: string[], ready: () => Promise<boolean>) =>
    daemon(
      {
        name: `${place.name}/${program}`,
        command: binaries[program] ?? program,
        args,
        logFile: join(logs, `${place.name}.${program}.log`),
        ready,
      },
      `${nodeGroup(name, place.name)}/${program}`,
      enterNamespace(place.namespace),
    );

  return {
    etcd: central(components.etcd),
    apiServer: central(components.apiServer),
    controllerManager: central(components.controllerManager),
    scheduler: central(components.scheduler),
    dns: controlPlaneOnly
      ? undefined
      : central({
          name: "coredns",
          command: binaries["coredns"] ?? "coredns",
          args: ["-conf", corefilePath(directory)],
          logFile: join(logs, "coredns.log"),
          ready: () => answers(`http://${clusterNetwork(definition.networkNumber).dns}:8181/ready`),
        }),
    volumes: controlPlaneOnly ? undefined : volumesProcess(definition, daemon),
    nodes: nodePlaces(definition).map((place) => ({
      place,
      containerd: onNode(place, "containerd", ["--config", place.containerdConfiguration], () =>
        accepts(place.containerdSocket),
      ),
      kubelet: onNode(place, "kubelet", kubeletArguments(place), () =>
        answers(`http://${place.address}:10248/healthz`),
      ),
      kubeProxy: onNode(place, "kube-proxy", [`--config=${place.kubeProxyConfiguration}`], () =>
        answers(`http://${place.address}:10256/healthz`),
      ),
    })),
  };
}

// The provisioner works on the machine's block devices and mounts, outside of the cluster's network.
function volumesProcess(
  definition: ClusterDefinition,
  daemon: (specification: ProcessSpecification, group: string) => ManagedProcess,
): ManagedProcess {
  const program = join(import.meta.dirname, "..", "volumes", "main.ts");
  const directory = clusterDirectory(definition.name);
  const files = controlPlaneFiles(directory);
  return daemon(
    {
      name: "volumes",
      command: process.execPath,
      args: [program, "--kubeconfig", files.kubeconfig, "--state-dir", join(directory, "volumes")],
      logFile: join(files.logs, "volumes.log"),
      ready: () => providesClasses(files.kubeconfig),
    },
    `${clusterGroup(definition.name)}/volumes`,
  );
}

async function providesClasses(kubeconfig: string): Promise<boolean> {
  try {
    return (await getObject(kubeconfig, "/apis/storage.k8s.io/v1/storageclasses/local-xfs")) !== undefined;
  } catch {
    // The API server does not answer, and the provisioner waits for it too.
    return false;
  }
}

/** Every process, in the order in which they are started. */
export function allProcesses(processes: ClusterProcesses): ManagedProcess[] {
  const { etcd, apiServer, controllerManager, scheduler, dns, volumes, nodes } = processes;
  return [
    etcd,
    apiServer,
    controllerManager,
    scheduler,
    dns,
    volumes,
    ...nodes.flatMap(({ containerd, kubelet, kubeProxy }) => [containerd, kubelet, kubeProxy]),
  ].filter((process) => process !== undefined);
}

async function accepts(socketPath: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(socketPath);
  socket.once("connect", () => resolve(true));
  // Not there yet: the caller asks again.
  socket.once("error", () => resolve(false));
  return promise.finally(() => socket.destroy());
}
