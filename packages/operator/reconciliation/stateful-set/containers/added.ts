import type { ContainerPart } from "@moco-ts/api";
import { containerSecurity } from "../../security.ts";
import type { StatefulSetInput } from "../input.ts";
import type { PodRules } from "../rules.ts";

/** A container that the operator adds, as `podTemplate.overwriteContainers` wants it. */
export function added(container: ContainerPart, input: StatefulSetInput): ContainerPart {
  const wishes = input.cluster.spec.podTemplate.overwriteContainers ?? [];
  const secured: ContainerPart = { ...container, securityContext: containerSecurity({}, input) };
  return wishes
    .filter(({ name }) => name === container.name)
    .reduce((before, wish) => ({ ...before, ...wish }), secured);
}

/** What a container of the operator's gets, and may not exceed. */
export function fixedResources(rules: PodRules, cpu: string, memory: string) {
  return { requests: { cpu, memory }, limits: { ...(rules.limitsCpu && { cpu }), memory } };
}
