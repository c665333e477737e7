import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ClusterDefinition } from "../cluster/definition.ts";
import { clusterNetwork } from "../cluster/network.ts";
import { controlPlaneFiles, writeKubeconfig } from "../control-plane/files.ts";
import type { Authority } from "../pki/authority.ts";
import { clusterGroup } from "../system/cgroups.ts";
import { clusterDirectory } from "../cluster/definition.ts";
import { cniConfiguration, containerdConfiguration } from "./containerd.ts";
import { kubeProxyConfiguration } from "./kube-proxy.ts";
import { kubeletConfiguration, resolverFile } from "./kubelet.ts";
import type { NodePlace } from "./paths.ts";

/** Where distributions put the CNI plugins. */
const pluginDirectories = ["/usr/lib/cni", "/opt/cni/bin", "/usr/libexec/cni"];

export function findPluginDirectory(): string | undefined {
  return pluginDirectories.find((directory) => existsSync(join(directory, "ptp")));
}

/** Unique on the machine: libcni keeps a file under this name in /var/lib/cni. */
export function podNetworkName(cluster: string, node: string): string {
  return `lk-${cluster}.${node}`;
}

export function nodeGroup(cluster: string, node: string): string {
  return `${clusterGroup(cluster)}/${node}`;
}

/** Writes a node's configuration and credentials, unless they are there. The kubelet's kubeconfig is the last file. */
export async function ensureNodeFiles(
  definition: ClusterDefinition,
  place: NodePlace,
  authority: Authority,
  server: string,
): Promise<void> {
  if (existsSync(place.kubeletKubeconfig)) {
    return;
  }
  const network = clusterNetwork(definition.networkNumber);
  const pluginDirectory = findPluginDirectory();
  if (pluginDirectory === undefined) {
    throw new Error(`found no CNI plugins in ${pluginDirectories.join(", ")}`);
  }
  for (const directory of [place.kubeletRoot, dirname(place.cniConfiguration), dirname(place.containerdSocket)]) {
    await mkdir(directory, { recursive: true });
  }
  const serving = await authority.issue({
    commonName: `system:node:${place.name}`,
    organization: "system:nodes",
    hosts: [place.name, place.address],
  });
  const kubelet = kubeletConfiguration(place, {
    authority: controlPlaneFiles(clusterDirectory(definition.name)).authority,
    dnsAddress: network.dns,
    cgroupRoot: nodeGroup(definition.name, place.name),
  });
  const contents: Array<[path: string, text: string]> = [
    [place.kubeletCertificate, serving.certificate],
    [place.kubeletKey, serving.privateKey],
    [place.kubeletConfiguration, kubelet],
    [resolverFile(place), `nameserver ${network.dns}\n`],
    [place.kubeProxyConfiguration, kubeProxyConfiguration(place, network.pods)],
    [place.containerdConfiguration, containerdConfiguration(place, pluginDirectory)],
    [place.cniConfiguration, cniConfiguration(place, podNetworkName(definition.name, place.name))],
  ];
  for (const [path, text] of contents) {
    await writeFile(path, text, { mode: 0o600 });
  }
  const { name } = definition;
  const user = { name, server, authority };
  await writeKubeconfig(place.kubeProxyKubeconfig, { ...user, user: { commonName: "system:kube-proxy" } });
  await writeKubeconfig(place.kubeletKubeconfig, {
    ...user,
    user: { commonName: `system:node:${place.name}`, organization: "system:nodes" },
  });
}
