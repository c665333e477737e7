import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { clusterDirectory, type ClusterDefinition } from "./definition.ts";
import { clusterNetwork } from "./network.ts";

export function corefilePath(directory: string): string {
  return join(directory, "coredns", "Corefile");
}

/** There is no forwarding: what is not in the cluster is refused at once. */
export async function writeCorefile(definition: ClusterDefinition, kubeconfig: string): Promise<void> {
  const { dns } = clusterNetwork(definition.networkNumber);
  const path = corefilePath(clusterDirectory(definition.name));
  await mkdir(dirname(path), { recursive: true });
  await writeFile(
    path,
    `.:53 {
  bind ${dns}
  ready ${dns}:8181
  errors
  loadbalance
  kubernetes cluster.local in-addr.arpa ip6.arpa {
    kubeconfig ${kubeconfig}
    pods insecure
    ttl 5
  }
}
`,
  );
}
