export { resolveBinaries, resolveBinary, type Binary } from "./binaries/resolve.ts";
export { startControlPlane, type ControlPlane, type ControlPlaneOptions } from "./control-plane/start.ts";
export type { ProcessHandle } from "./process/managed.ts";
export { sharedControlPlane, type SharedControlPlane } from "./testing/shared.ts";
