export { resolveBinaries, resolveBinary, type Binary } from "./binaries/resolve.ts";
export { down } from "./cluster/down.ts";
export { cluster, type Cluster, type ClusterNode } from "./cluster/handle.ts";
export { up, type UpOptions } from "./cluster/up.ts";
export { startControlPlane, type ControlPlane, type ControlPlaneOptions } from "./control-plane/start.ts";
export { busyboxImage } from "./node/pause.ts";
export type { ProcessHandle } from "./process/managed.ts";
export { sharedControlPlane, type SharedControlPlane } from "./testing/shared.ts";
