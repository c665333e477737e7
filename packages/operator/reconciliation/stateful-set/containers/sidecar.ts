import type { Container } from "@moco-ts/kube";
import type { StatefulSetInput } from "../input.ts";
import { presentContainer } from "../present.ts";

/** The sidecar as it is, if it has to stay so. */
export function keptSidecar({ keepSidecars = false, live }: StatefulSetInput, name: string): Container | undefined {
  return keepSidecars ? presentContainer(live, name) : undefined;
}
