import type {
  PersistentVolumeClaimSpec,
  PodSpec,
  ResourceRequirements,
  SecurityContext,
  ServiceSpec,
} from "@moco-ts/kube";
import { Type } from "typebox";
import { overwritableContainers } from "../containers.ts";
import { integer, kubernetes, nullable, oneOf, time } from "../schema/fields.ts";
import { jobConfig } from "../schema/job.ts";
import { claimMetadata, namelessMetadata } from "../schema/metadata.ts";

const overwriteContainer = Type.Object({
  name: oneOf(overwritableContainers, { description: "A container that the operator adds." }),
  resources: Type.Optional(
    kubernetes<ResourceRequirements>("core.v1.ResourceRequirements", {
      description: "Replaces the container's resources as a whole.",
    }),
  ),
  securityContext: Type.Optional(
    kubernetes<SecurityContext>("core.v1.SecurityContext", {
      description: "Replaces the container's security context as a whole.",
    }),
  ),
});

const podTemplate = Type.Object(
  {
    metadata: Type.Optional(namelessMetadata),
    spec: kubernetes<PodSpec>("core.v1.PodSpec", {
      description: "The Pod. It must have a container mysqld; the operator adds what else is needed.",
    }),
    overwriteContainers: Type.Optional(
      Type.Array(overwriteContainer, { description: "Changes to the containers that the operator adds." }),
    ),
  },
  { description: "Template of the Pods that run mysqld." },
);

const volumeClaimTemplate = Type.Object({
  metadata: claimMetadata,
  spec: kubernetes<PersistentVolumeClaimSpec>("core.v1.PersistentVolumeClaimSpec", {
    description: "The claim. Storage may be raised later, where the StorageClass allows expansion.",
  }),
});

const serviceTemplate = (description: string) =>
  Type.Object(
    {
      metadata: Type.Optional(namelessMetadata),
      spec: Type.Optional(
        kubernetes<ServiceSpec>("core.v1.ServiceSpec", {
          description: "The Service. The selector and the ports mysql and mysqlx are the operator's.",
        }),
      ),
    },
    { description },
  );

const restore = Type.Object(
  {
    sourceName: Type.String({ minLength: 1, description: "Name of the MySQLCluster that was backed up." }),
    sourceNamespace: Type.String({ minLength: 1, description: "Namespace of the MySQLCluster that was backed up." }),
    restorePoint: time({ description: "The data is restored as it was then, such as 2026-01-31T12:00:00Z." }),
    jobConfig,
    schema: Type.Optional(Type.String({ description: "Restore only this schema." })),
    users: Type.Optional(Type.String({ description: "Restore only these users, separated by commas." })),
  },
  { description: "Fill the new cluster with data from a backup. Can't be changed later." },
);

export const mysqlClusterSpecSchema = Type.Object(
  {
    replicas: integer("int32", { default: 1, description: "Number of instances: an odd number. It can't be lowered." }),
    podTemplate,
    volumeClaimTemplates: Type.Array(volumeClaimTemplate, {
      minItems: 1,
      description: "Templates of the instances' volumes. One must be named mysql-data.",
    }),
    primaryServiceTemplate: Type.Optional(serviceTemplate("Template of the Service that leads to the primary.")),
    replicaServiceTemplate: Type.Optional(serviceTemplate("Template of the Service that leads to the replicas.")),
    mysqlConfigMapName: Type.Optional(
      nullable(Type.String({ description: "ConfigMap whose keys and values are mysqld options." })),
    ),
    replicationSourceSecretName: Type.Optional(
      nullable(
        Type.String({
          description:
            "Secret that tells which MySQL server to copy and follow. Only for new clusters; they are read-only until it is removed.",
        }),
      ),
    ),
    collectors: Type.Optional(
      Type.Array(Type.String(), {
        description:
          "Collectors of mysqld_exporter, such as engine_innodb_status. If there are any, it runs as a sidecar.",
      }),
    ),
    serverIDBase: Type.Optional(
      integer("int32", { description: "server_id of the first instance; others follow. Default: a random number." }),
    ),
    maxDelaySeconds: Type.Integer({
      minimum: 0,
      default: 60,
      description: "A replica that lags further behind is not Ready. 0: it is, however far.",
    }),
    maxDelaySecondsForPodDeletion: integer("int64", {
      minimum: 0,
      default: 0,
      description: "While a replica lags further behind, the primary's Pod can't be deleted. 0: it can.",
    }),
    startupWaitSeconds: integer("int32", {
      minimum: 0,
      default: 3600,
      description: "Seconds that mysqld may take to start before it is restarted.",
    }),
    logRotationSchedule: Type.Optional(
      Type.String({ description: "When logs are rotated, in cron form. Default: every five minutes." }),
    ),
    logRotationSize: Type.Optional(
      Type.Integer({ description: "Logs of so many bytes are rotated at once. 0: their size does not matter." }),
    ),
    backupPolicyName: Type.Optional(
      nullable(Type.String({ description: "BackupPolicy by which this cluster is backed up." })),
    ),
    restore: Type.Optional(restore),
    disableSlowQueryLogContainer: Type.Optional(
      Type.Boolean({ description: "Run no sidecar that prints the slow query log." }),
    ),
    slowQueryLogConfigTmpl: Type.Optional(
      Type.String({
        description: "Configuration of fluent-bit, which prints the slow query log. {{ .Path }} stands for the file.",
      }),
    ),
    agentUseLocalhost: Type.Optional(
      Type.Boolean({
        description: "The administrative port of mysqld listens on localhost instead of the Pod's address.",
      }),
    ),
    initializeTimezoneData: Type.Optional(
      Type.Boolean({ description: "Load the time zone tables when an instance is set up." }),
    ),
    offline: Type.Optional(Type.Boolean({ description: "Run no instance. Data is kept." })),
  },
  { description: "What is wanted." },
);
