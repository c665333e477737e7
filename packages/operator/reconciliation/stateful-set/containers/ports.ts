import type { ContainerPort } from "@moco-ts/kube";

/** Declared ports, by the names that Services, probes and PodMonitors know. */
export function containerPorts(
  ...ports: readonly { readonly name: string; readonly number: number }[]
): ContainerPort[] {
  return ports.map(({ name, number }) => ({ name, containerPort: number, protocol: "TCP" }));
}
