/** services: how instances find each other, and clients the primary and the replicas. */
import {
  clusterLabels,
  ports,
  roleLabels,
  type AnyPartOf,
  type MySQLCluster,
  type Role,
  type ServiceTemplate,
} from "@moco-ts/api";
import type { Configuration, Service, ServicePort } from "@moco-ts/kube";
import { namesOfCluster, ownedMetadata } from "../metadata.ts";
import { withoutBlanks } from "../without-blanks.ts";

type Port = (typeof ports)[keyof typeof ports];

/** Gives every Pod a host name, before it is Ready too: replication has to be set up first. */
export function buildHeadlessService(cluster: MySQLCluster): Configuration<Service> {
  return {
    metadata: ownedMetadata(cluster, namesOfCluster(cluster).headlessService),
    spec: {
      type: "ClusterIP",
      clusterIP: "None",
      publishNotReadyAddresses: true,
      selector: clusterLabels(cluster.metadata.name),
      ports: [ports.mysql, ports.mysqlX, ports.mysqlAdmin].map((port) => ({ name: port.name, ...fixed(port) })),
    },
  };
}

export function buildPrimaryService(cluster: MySQLCluster): Configuration<Service> {
  const { primaryService } = namesOfCluster(cluster);
  return buildRoleService(cluster, primaryService, "primary", cluster.spec.primaryServiceTemplate);
}

export function buildReplicaService(cluster: MySQLCluster): Configuration<Service> {
  const { replicaService } = namesOfCluster(cluster);
  return buildRoleService(cluster, replicaService, "replica", cluster.spec.replicaServiceTemplate);
}

function buildRoleService(
  cluster: MySQLCluster,
  name: string,
  role: Role,
  given: ServiceTemplate | undefined,
): Configuration<Service> {
  const { metadata = {}, spec = {} } = withoutBlanks(given) ?? {};
  const owned = ownedMetadata(cluster, name);
  return {
    metadata: {
      ...owned,
      labels: { ...metadata.labels, ...owned.labels },
      ...(metadata.annotations && { annotations: metadata.annotations }),
    },
    spec: { ...spec, selector: roleLabels(cluster.metadata.name, role), ports: mergePorts(spec.ports ?? []) },
  };
}

/** The user's ports in their order. Those that lead to mysqld are always there; a user may choose their node ports. */
function mergePorts(given: readonly AnyPartOf<ServicePort>[]): AnyPartOf<ServicePort>[] {
  const known: readonly Port[] = [ports.mysql, ports.mysqlX];
  const kept = given.map((port) => {
    const own = known.find(({ name }) => name === port.name);
    return own === undefined ? port : { ...port, ...fixed(own) };
  });
  const missing = known.filter(({ name }) => !given.some((port) => port.name === name));
  return [...kept, ...missing.map((port) => ({ name: port.name, ...fixed(port) }))];
}

function fixed({ name, number }: Port) {
  return { protocol: "TCP", port: number, targetPort: name };
}
