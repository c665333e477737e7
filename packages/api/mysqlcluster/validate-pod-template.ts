import type { FieldCause } from "@moco-ts/kube";
import { containerNames, initContainerNames, volumeNames } from "../containers.ts";
import { ports } from "../ports.ts";
import { forbidden, invalid, required } from "../validation/cause.ts";
import { recordOf, recordsOf, textOf } from "../validation/reading.ts";
import type { ContainerPart, MySQLClusterSpec, PodTemplate } from "./types.ts";

const path = "spec.podTemplate.spec";

/** Ports that the operator declares on mysqld. */
const mysqldPorts = [ports.mysql, ports.mysqlX, ports.mysqlAdmin, ports.health] as const;
const reservedPorts: ReadonlySet<unknown> = new Set(mysqldPorts.map(({ number }) => number));
const reservedPortNames: ReadonlySet<unknown> = new Set(mysqldPorts.map(({ name }) => name));

const reservedVolumes: ReadonlySet<unknown> = new Set(Object.values(volumeNames));

/** Where the operator mounts volumes into mysqld. */
const reservedMountPaths: ReadonlySet<unknown> = new Set([
  "/tmp",
  "/run",
  "/var/log/mysql",
  "/etc/mysql",
  "/etc/mysql-conf.d",
  "/mysql-credentials",
  "/var/lib/mysql",
]);

/** What must be and what must not be in the Pods, where the operator puts its own things beside the user's. */
export function validatePodTemplate(spec: Partial<MySQLClusterSpec>): FieldCause[] {
  const template: Partial<PodTemplate> = recordOf(spec.podTemplate);
  const pod = recordOf(template.spec);
  const reserved = reservedContainers(spec);
  return [
    ...validateContainers(recordsOf(pod.containers), reserved),
    ...validateInitContainers(recordsOf(pod.initContainers), reserved),
    ...recordsOf(pod.volumes).flatMap(({ name }, at) =>
      reservedVolumes.has(name) ? [invalid(`${path}.volumes[${at}]`, name, "reserved volume name")] : [],
    ),
  ];
}

/** Names of containers that the operator adds. Init containers count, since a Pod has each name once. */
function reservedContainers(spec: Partial<MySQLClusterSpec>): ReadonlySet<string> {
  const reserved = new Set<string>([containerNames.agent, ...Object.values(initContainerNames)]);
  if (spec.disableSlowQueryLogContainer !== true) reserved.add(containerNames.slowLog);
  if (Array.isArray(spec.collectors) && spec.collectors.length > 0) reserved.add(containerNames.exporter);
  return reserved;
}

function validateContainers(containers: readonly ContainerPart[], reserved: ReadonlySet<string>): FieldCause[] {
  const causes = containers.flatMap(({ name }, at) => {
    const field = `${path}.containers[${at}]`;
    if (textOf(name) === undefined) return [forbidden(field, "container name is required")];
    return reserved.has(name!) ? [forbidden(field, "reserved container name")] : [];
  });
  const at = containers.findIndex(({ name }) => name === containerNames.mysqld);
  if (at < 0) {
    return [...causes, required(`${path}.containers`, `required container ${containerNames.mysqld} is missing`)];
  }
  return [...causes, ...validateMysqld(containers[at]!, `${path}.containers[${at}]`)];
}

function validateMysqld(mysqld: ContainerPart, field: string): FieldCause[] {
  const portCauses = recordsOf(mysqld.ports).flatMap(({ containerPort, name }, at) => [
    ...(reservedPorts.has(containerPort) ? [invalid(`${field}.ports[${at}]`, containerPort, "reserved port")] : []),
    ...(reservedPortNames.has(name) ? [invalid(`${field}.ports[${at}]`, name, "reserved port name")] : []),
  ]);
  const mountCauses = recordsOf(mysqld.volumeMounts).flatMap(({ mountPath }, at) =>
    reservedMountPaths.has(mountPath)
      ? [invalid(`${field}.volumeMounts[${at}]`, mountPath, "reserved mount path")]
      : [],
  );
  return [...portCauses, ...mountCauses];
}

function validateInitContainers(containers: readonly ContainerPart[], reserved: ReadonlySet<string>): FieldCause[] {
  return containers.flatMap(({ name }, at) => {
    const field = `${path}.initContainers[${at}]`;
    if (textOf(name) === undefined) return [forbidden(field, "init container name is required")];
    const taken = reserved.has(name!) || name === containerNames.mysqld;
    return taken ? [invalid(field, name, "reserved init container name")] : [];
  });
}
