import { containerNames, type ContainerPart, type MySQLCluster } from "@moco-ts/api";
import { containerSecurity, type PodSettings } from "../../security.ts";

/** Containers that the user adds. Names of sidecars are free while the operator adds none of that name. */
export function userContainers({ spec }: MySQLCluster, settings: PodSettings): ContainerPart[] {
  const taken = new Set<string>([
    containerNames.mysqld,
    containerNames.agent,
    ...(spec.disableSlowQueryLogContainer ? [] : [containerNames.slowLog]),
    ...(spec.collectors?.length ? [containerNames.exporter] : []),
  ]);
  const given = spec.podTemplate.spec.containers ?? [];
  return given.filter(({ name = "" }) => !taken.has(name)).map((container) => secured(container, settings));
}

export function userInitContainers({ spec }: MySQLCluster, settings: PodSettings): ContainerPart[] {
  return (spec.podTemplate.spec.initContainers ?? []).map((container) => secured(container, settings));
}

function secured(container: ContainerPart, settings: PodSettings): ContainerPart {
  return { ...container, securityContext: containerSecurity(container.securityContext, settings) };
}
