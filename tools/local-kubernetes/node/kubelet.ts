import { join } from "node:path";
import { stringify } from "yaml";
import type { NodePlace } from "./paths.ts";

export interface KubeletSettings {
  /** File with the authority's certificate. */
  authority: string;
  dnsAddress: string;
  /** The control group that the node's pods are below. */
  cgroupRoot: string;
}

export function kubeletConfiguration(place: NodePlace, settings: KubeletSettings): string {
  return stringify({
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    address: place.address,
    healthzBindAddress: place.address,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: settings.authority },
    },
    authorization: { mode: "Webhook" },
    tlsCertFile: place.kubeletCertificate,
    tlsPrivateKeyFile: place.kubeletKey,
    containerRuntimeEndpoint: `unix://${place.containerdSocket}`,
    clusterDomain: "cluster.local",
    clusterDNS: [settings.dnsAddress],
    resolvConf: resolverFile(place),
    podLogsDir: join(place.directory, "pod-logs"),
    volumePluginDir: join(place.directory, "volume-plugins"),
    // Machines with control groups of version 1, with swap, or without systemd are welcome.
    failCgroupV1: false,
    failSwapOn: false,
    cgroupDriver: "cgroupfs",
    cgroupRoot: settings.cgroupRoot,
    cgroupsPerQOS: true,
    enforceNodeAllocatable: [],
    makeIPTablesUtilChains: false,
    // A developer's disk may be nearly full and is no reason to evict anything.
    evictionHard: { "memory.available": "50Mi", "nodefs.available": "1%", "imagefs.available": "1%" },
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    // Tests wait for what these report.
    volumeStatsAggPeriod: "10s",
    evictionPressureTransitionPeriod: "5s",
    evictionMaxPodGracePeriod: 60,
    registryPullQPS: 0,
    eventRecordQPS: 0,
  });
}

/** Names outside of the cluster can't be reached: every pod asks the cluster's DNS. */
export function resolverFile(place: NodePlace): string {
  return join(place.directory, "resolv.conf");
}

export function kubeletArguments(place: NodePlace): string[] {
  return [
    `--config=${place.kubeletConfiguration}`,
    `--kubeconfig=${place.kubeletKubeconfig}`,
    `--root-dir=${place.kubeletRoot}`,
    `--cert-dir=${join(place.directory, "kubelet-pki")}`,
    `--hostname-override=${place.name}`,
    `--node-ip=${place.address}`,
  ];
}
