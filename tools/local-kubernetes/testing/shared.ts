import type { ProvidedControlPlane } from "./global-setup.ts";

export type SharedControlPlane = ProvidedControlPlane;

/**
 * The control plane that all API tests of a run share. Give each test a namespace of its own, and start your own with
 * startControlPlane() to stop, freeze or compact it.
 */
export async function sharedControlPlane(): Promise<SharedControlPlane> {
  // Only here: this package also runs outside of vitest, where loading it fails.
  const { inject } = await import("vitest");
  return inject("controlPlane");
}
