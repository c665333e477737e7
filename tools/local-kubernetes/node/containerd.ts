import { dirname, join } from "node:path";
import type { NodePlace } from "./paths.ts";

/** The image that holds a pod's namespaces open. It is loaded into every node. */
export const pauseImage = "localhost/pause:local";

/** Every path lies in the node's own directory: two containerds never meet, and nothing is left elsewhere. */
export function containerdConfiguration(place: NodePlace, pluginDirectory: string): string {
  const inside = (...parts: string[]) => JSON.stringify(join(place.directory, "containerd", ...parts));
  return `version = 2
root = ${inside("root")}
state = ${inside("state")}

[grpc]
address = ${JSON.stringify(place.containerdSocket)}

[plugins."io.containerd.internal.v1.opt"]
path = ${inside("opt")}

[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = ${JSON.stringify(pauseImage)}
# The network namespaces of pods are mounted below state, where they are found and removed with it.
netns_mounts_under_state_dir = true
# Without CAP_SYS_RESOURCE a score can't be lowered, and no container would start.
restrict_oom_score_adj = true
stream_server_address = "127.0.0.1"

[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = ${JSON.stringify(pluginDirectory)}
conf_dir = ${JSON.stringify(dirname(place.cniConfiguration))}

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
SystemdCgroup = false
Root = ${inside("runc")}
`;
}

/**
 * Each pod has a veth pair to the node and no bridge: all traffic is routed by the node, also between two of its pods,
 * so that services work without br_netfilter and a cut can be made between any two pods.
 */
export function cniConfiguration(place: NodePlace, networkName: string): string {
  return JSON.stringify({
    cniVersion: "1.0.0",
    name: networkName,
    plugins: [
      {
        type: "ptp",
        ipMasq: false,
        ipam: {
          type: "host-local",
          dataDir: join(place.directory, "cni", "addresses"),
          ranges: [[{ subnet: place.pods }]],
          routes: [{ dst: "0.0.0.0/0" }],
        },
      },
      { type: "portmap", capabilities: { portMappings: true } },
    ],
  });
}
