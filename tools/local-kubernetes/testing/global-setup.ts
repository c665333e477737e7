/** vitest global setup: one control plane for a whole run of the API tests. */
import type { TestProject } from "vitest/node";
import { resolveBinaries } from "../binaries/resolve.ts";
import { startControlPlane } from "../control-plane/start.ts";

/** What can be handed from vitest's main process to the workers. */
export interface ProvidedControlPlane {
  kubeconfigPath: string;
  server: string;
}

declare module "vitest" {
  interface ProvidedContext {
    controlPlane: ProvidedControlPlane;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Built here, where nothing has a time limit: on a new machine that takes longer than a test may.
  await resolveBinaries(["kubectl", "kube-scheduler", "helm"]);
  const controlPlane = await startControlPlane({ name: "shared", controllerManager: true });
  const { kubeconfigPath, server } = controlPlane;
  project.provide("controlPlane", { kubeconfigPath, server });
  return () => controlPlane.stop();
}
