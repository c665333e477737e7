/** Clusters that are wrong, each in one way, with what their users are told. */
import { volumeNames } from "../containers.ts";
import type { ContainerPart, MySQLCluster, MySQLClusterSpec, PodTemplateSpecPart } from "../mysqlcluster/types.ts";
import { claimTemplate, testCluster, testJobConfig } from "./manifests.ts";

export interface WrongCluster {
  readonly title: string;
  readonly cluster: MySQLCluster;
  readonly field: string;
  readonly problem: string;
  /** What an API server says instead, where its schema is asked first. */
  readonly bySchema?: string;
}

export interface WrongChange extends WrongCluster {
  readonly old: MySQLCluster;
}

const mysqld = { name: "mysqld", image: "mysql:8.4" };
const containers = "spec.podTemplate.spec.containers";
const initContainers = "spec.podTemplate.spec.initContainers";

function withPod(pod: PodTemplateSpecPart, spec: Partial<MySQLClusterSpec> = {}): MySQLCluster {
  return testCluster({ ...spec, podTemplate: { spec: { containers: [mysqld], ...pod } } });
}

function withMysqld(changes: ContainerPart): MySQLCluster {
  return withPod({ containers: [{ ...mysqld, ...changes }] });
}

function wrong(title: string, cluster: MySQLCluster, field: string, problem: string, bySchema?: string): WrongCluster {
  return { title, cluster, field, problem, ...(bySchema !== undefined && { bySchema }) };
}

export const wrongClusters: readonly WrongCluster[] = [
  wrong(
    "a name that is too long",
    testCluster({}, { name: "a".repeat(41) }),
    "metadata.name",
    "required name must be 40 characters or less",
  ),
  wrong("a name with dots", testCluster({}, { name: "a.b" }), "metadata.name", "name must not have dots"),
  wrong("an even number", testCluster({ replicas: 2 }), "spec.replicas", "replicas must be a positive odd number"),
  wrong("no instances", testCluster({ replicas: 0 }), "spec.replicas", "replicas must be a positive integer"),
  wrong("less than none", testCluster({ replicas: -1 }), "spec.replicas", "replicas must be a positive integer"),
  wrong(
    "a negative server_id",
    testCluster({ serverIDBase: -5 }),
    "spec.serverIDBase",
    "Invalid value: -5: serverIDBase must be a positive integer",
  ),
  wrong(
    "a schedule with a typo",
    testCluster({ logRotationSchedule: "*/5 * * * foo" }),
    "spec.logRotationSchedule",
    "not a schedule: day of week foo",
  ),
  wrong(
    "logs of a negative size",
    testCluster({ logRotationSize: -1 }),
    "spec.logRotationSize",
    "logRotationSize must be a positive integer or zero",
  ),
  wrong(
    "no volume for data",
    testCluster({ volumeClaimTemplates: [claimTemplate("data", "1Gi")] }),
    "spec.volumeClaimTemplates",
    "required volume claim template mysql-data is missing",
  ),
  wrong(
    "no volume at all",
    testCluster({ volumeClaimTemplates: [] }),
    "spec.volumeClaimTemplates",
    "required volume claim template mysql-data is missing",
    "should have at least 1 items",
  ),
  wrong(
    "a volume without a size",
    testCluster({ volumeClaimTemplates: [{ metadata: { name: "mysql-data" }, spec: {} }] }),
    "spec.volumeClaimTemplates",
    "required volume claim template mysql-data storage requests is missing",
  ),
  wrong(
    "a volume without room",
    testCluster({ volumeClaimTemplates: [claimTemplate("mysql-data", "0")] }),
    "spec.volumeClaimTemplates[0].spec.resources.requests.storage",
    "storage must be a positive quantity",
  ),
  wrong(
    "a size that is none",
    testCluster({ volumeClaimTemplates: [claimTemplate("mysql-data", "10 gigs")] }),
    "spec.volumeClaimTemplates[0].spec.resources.requests.storage",
    "storage must be a positive quantity",
    'Invalid value: "10 gigs"',
  ),
  wrong(
    "two volumes of one name",
    testCluster({ volumeClaimTemplates: [claimTemplate("mysql-data", "1Gi"), claimTemplate("mysql-data", "2Gi")] }),
    "spec.volumeClaimTemplates[1].metadata.name",
    "repeated volume claim template name",
  ),
  wrong(
    "a volume whose name leads elsewhere",
    testCluster({ volumeClaimTemplates: [claimTemplate("mysql-data", "1Gi"), claimTemplate("..", "1Gi")] }),
    "spec.volumeClaimTemplates[1].metadata.name",
    'Invalid value: "..": volume claim template name must be a DNS label',
  ),
  wrong(
    "a volume without a name",
    testCluster({
      volumeClaimTemplates: [claimTemplate("mysql-data", "1Gi"), { ...claimTemplate("", "1Gi"), metadata: {} }],
    }),
    "spec.volumeClaimTemplates[1].metadata.name",
    "volume claim template name is required",
  ),
  wrong("no mysqld", withPod({ containers: [] }), containers, "required container mysqld is missing"),
  wrong(
    "another container only",
    withPod({ containers: [{ ...mysqld, name: "mysql" }] }),
    containers,
    "required container mysqld is missing",
  ),
  wrong(
    "a container without a name",
    withPod({ containers: [mysqld, { image: "side:1" }] }),
    `${containers}[1]`,
    "container name is required",
    "name: Required value",
  ),
  ...["agent", "slow-log", "moco-init"].map((name) =>
    wrong(
      `a container ${name}`,
      withPod({ containers: [mysqld, { name, image: "side:1" }] }),
      `${containers}[1]`,
      "reserved container name",
    ),
  ),
  wrong(
    "a container mysqld-exporter beside ours",
    withPod({ containers: [mysqld, { name: "mysqld-exporter", image: "side:1" }] }, { collectors: ["binlog_size"] }),
    `${containers}[1]`,
    "reserved container name",
  ),
  wrong(
    "an init container without a name",
    withPod({ initContainers: [{ image: "init:1" }] }),
    `${initContainers}[0]`,
    "init container name is required",
    "name: Required value",
  ),
  ...["moco-init", "copy-moco-init", "mysqld", "agent"].map((name) =>
    wrong(
      `an init container ${name}`,
      withPod({ initContainers: [{ name, image: "init:1" }] }),
      `${initContainers}[0]`,
      "reserved init container name",
    ),
  ),
  ...[3306, 33_060, 33_062, 9081].map((containerPort) =>
    wrong(
      `port ${containerPort} of mysqld`,
      withMysqld({ ports: [{ containerPort: 80 }, { containerPort }] }),
      `${containers}[0].ports[1]`,
      `Invalid value: ${containerPort}: reserved port`,
    ),
  ),
  ...["mysql", "mysqlx", "mysql-admin", "health"].map((name) =>
    wrong(
      `a port called ${name}`,
      withMysqld({ ports: [{ containerPort: 80, name }] }),
      `${containers}[0].ports[0]`,
      "reserved port name",
    ),
  ),
  ...Object.values(volumeNames).map((name) =>
    wrong(
      `a volume ${name}`,
      withPod({ volumes: [{ name, emptyDir: {} }] }),
      "spec.podTemplate.spec.volumes[0]",
      "reserved volume name",
    ),
  ),
  wrong(
    "a mount over the data",
    withMysqld({ volumeMounts: [{ name: "mine", mountPath: "/var/lib/mysql" }] }),
    `${containers}[0].volumeMounts[0]`,
    "reserved mount path",
  ),
];

const restore = {
  sourceName: "a",
  sourceNamespace: "b",
  restorePoint: "2026-01-01T00:00:00Z",
  jobConfig: testJobConfig(),
};

function change(
  title: string,
  from: Partial<MySQLClusterSpec>,
  to: Partial<MySQLClusterSpec>,
  field: string,
  problem: string,
): WrongChange {
  return { title, old: testCluster(from), cluster: testCluster(to), field, problem };
}

function resize(
  title: string,
  className: string | undefined,
  from: string,
  to: string,
  field: string,
  problem: string,
) {
  const templates = (storage: string) => ({ volumeClaimTemplates: [claimTemplate("mysql-data", storage, className)] });
  return change(title, templates(from), templates(to), `spec.volumeClaimTemplates[0]${field}`, problem);
}

const replicationSource = "spec.replicationSourceSecretName";

/** With the StorageClasses `growing` (the default), `rigid` and no other. */
export const wrongChanges: readonly WrongChange[] = [
  change(
    "fewer instances",
    { replicas: 3 },
    { replicas: 1 },
    "spec.replicas",
    "decreasing replicas is not supported yet",
  ),
  change(
    "a donor for an old cluster",
    {},
    { replicationSourceSecretName: "donor" },
    replicationSource,
    "replication can be initiated only with new clusters",
  ),
  change(
    "another donor",
    { replicationSourceSecretName: "donor" },
    { replicationSourceSecretName: "other" },
    replicationSource,
    "replication source secret name cannot be modified",
  ),
  change("a restore for an old cluster", {}, { restore }, "spec.restore", "not editable"),
  change("no restore any more", { restore }, {}, "spec.restore", "not editable"),
  change(
    "another point in time",
    { restore },
    { restore: { ...restore, restorePoint: "2026-01-02T00:00:00Z" } },
    "spec.restore",
    "not editable",
  ),
  resize(
    "less storage",
    "growing",
    "2Gi",
    "1Gi",
    ".spec.resources.requests.storage",
    "storage of volume claim template mysql-data can only grow: 1Gi is less than 2Gi",
  ),
  resize(
    "less storage by a trifle",
    "growing",
    "1Gi",
    "1073741823",
    ".spec.resources.requests.storage",
    "moco.cybozu.com/allow-volume-reduction",
  ),
  resize(
    "more storage of a class that can't grow",
    "rigid",
    "1Gi",
    "2Gi",
    ".spec.storageClassName",
    'storage class "rigid" is not allowed to expand volume',
  ),
  resize(
    "more storage of a class that is not there",
    "missing",
    "1Gi",
    "2Gi",
    ".spec.storageClassName",
    "failed to get storage class missing: not found",
  ),
  change("an even number", { replicas: 1 }, { replicas: 2 }, "spec.replicas", "replicas must be a positive odd number"),
  change(
    "no server_id",
    {},
    { serverIDBase: 0 },
    "spec.serverIDBase",
    "Invalid value: 0: serverIDBase must be a positive integer",
  ),
];
