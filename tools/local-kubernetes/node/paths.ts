import { join } from "node:path";
import { nodeNamespace } from "../cluster/namespaces.ts";
import { nodeAddress, nodePods } from "../cluster/network.ts";
import { clusterDirectory, type ClusterDefinition } from "../cluster/definition.ts";

/** Where a node is: its names, addresses and files. It follows from the cluster's definition. */
export interface NodePlace {
  /** Counts from 1. */
  number: number;
  name: string;
  /** The network namespace. */
  namespace: string;
  address: string;
  /** CIDR of the node's pods. */
  pods: string;
  directory: string;
  /** The socket of the node's containerd. */
  containerdSocket: string;
  kubeletKubeconfig: string;
  kubeletConfiguration: string;
  kubeletCertificate: string;
  kubeletKey: string;
  kubeletRoot: string;
  kubeProxyKubeconfig: string;
  kubeProxyConfiguration: string;
  containerdConfiguration: string;
  cniConfiguration: string;
}

function nodePlace(definition: ClusterDefinition, number: number): NodePlace {
  const name = `node-${number}`;
  const directory = join(clusterDirectory(definition.name), "nodes", name);
  const inside = (...parts: string[]) => join(directory, ...parts);
  return {
    number,
    name,
    namespace: nodeNamespace(definition.name, number),
    address: nodeAddress(definition.networkNumber, number),
    pods: nodePods(definition.networkNumber, number),
    directory,
    containerdSocket: inside("containerd", "containerd.sock"),
    kubeletKubeconfig: inside("kubelet.kubeconfig"),
    kubeletConfiguration: inside("kubelet.yaml"),
    kubeletCertificate: inside("kubelet.crt"),
    kubeletKey: inside("kubelet.key"),
    kubeletRoot: inside("kubelet"),
    kubeProxyKubeconfig: inside("kube-proxy.kubeconfig"),
    kubeProxyConfiguration: inside("kube-proxy.yaml"),
    containerdConfiguration: inside("containerd.toml"),
    cniConfiguration: inside("cni", "10-pods.conflist"),
  };
}

export function nodePlaces(definition: ClusterDefinition): NodePlace[] {
  return Array.from({ length: definition.nodes }, (_, index) => nodePlace(definition, index + 1));
}
