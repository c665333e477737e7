import type { Container, StatefulSet } from "@moco-ts/kube";

/** A container of the Pods as they are made now. */
export function presentContainer(live: StatefulSet | undefined, name: string): Container | undefined {
  return live?.spec?.template.spec?.containers.find((container) => container.name === name);
}
