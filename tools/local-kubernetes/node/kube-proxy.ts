import { stringify } from "yaml";
import type { NodePlace } from "./paths.ts";

/** @param pods CIDR of all pods of the cluster */
export function kubeProxyConfiguration(place: NodePlace, pods: string): string {
  return stringify({
    apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
    kind: "KubeProxyConfiguration",
    mode: "nftables",
    hostnameOverride: place.name,
    clientConnection: { kubeconfig: place.kubeProxyKubeconfig },
    // What comes from elsewhere, as from the host, is masqueraded, so that the answer comes back the same way.
    detectLocalMode: "ClusterCIDR",
    clusterCIDR: pods,
    // These settings belong to the whole machine.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
    healthzBindAddress: `${place.address}:10256`,
    metricsBindAddress: `${place.address}:10249`,
  });
}
