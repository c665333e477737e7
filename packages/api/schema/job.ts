import type { Affinity, EnvFromSource, EnvVar, Volume, VolumeMount } from "@moco-ts/kube";
import { Type } from "typebox";
import { integer, keyedList, kubernetes, nullable, oneOf, quantity } from "./fields.ts";

const bucketConfig = Type.Object(
  {
    bucketName: Type.String({
      minLength: 1,
      description: "Name of the bucket. May contain $(VARIABLE), which is replaced from the environment.",
    }),
    region: Type.Optional(
      Type.String({ description: "Region of the bucket. The environment variable AWS_REGION does as well." }),
    ),
    endpointURL: Type.Optional(
      Type.String({
        pattern: "^https?://.*",
        description: "URL of the object store's API, where it is not the provider's own.",
      }),
    ),
    usePathStyle: Type.Optional(
      Type.Boolean({ description: "Put the bucket's name into the path of URLs instead of the host name." }),
    ),
    backendType: oneOf(["s3", "gcs", "azure"], {
      default: "s3",
      description: "Kind of object store.",
    }),
    caCert: Type.Optional(
      Type.String({ description: "Path of a file with further certificate authorities to trust. For s3 only." }),
    ),
  },
  { description: "Where backups are kept." },
);

/** OpenAPI knows no sources of volumes, only volumes with a name. */
const workVolume = kubernetes<Omit<Volume, "name">>(
  "core.v1.Volume",
  { description: "Volume for temporary files: as large as the dump and the binary logs together." },
  ["name"],
);

/** How backup and restore Jobs run. */
export const jobConfig = Type.Object(
  {
    serviceAccountName: Type.String({ minLength: 1, description: "ServiceAccount that the Job's Pod runs as." }),
    bucketConfig,
    workVolume,
    threads: integer("int32", {
      minimum: 1,
      default: 4,
      description: "Number of threads that dump or load data.",
    }),
    cpu: nullable(quantity({ default: 4, description: "CPU that the Pod requests. null for none." })),
    maxCpu: Type.Optional(nullable(quantity({ description: "CPU that the Pod is limited to." }))),
    memory: nullable(quantity({ default: "4Gi", description: "Memory that the Pod requests. null for none." })),
    maxMemory: Type.Optional(nullable(quantity({ description: "Memory that the Pod is limited to." }))),
    envFrom: Type.Optional(
      Type.Array(kubernetes<EnvFromSource>("core.v1.EnvFromSource"), {
        description: "Sources of environment variables, such as credentials of the object store.",
      }),
    ),
    env: Type.Optional(
      Type.Array(kubernetes<EnvVar>("core.v1.EnvVar"), {
        description: "Environment variables, such as credentials of the object store.",
      }),
    ),
    affinity: Type.Optional(
      kubernetes<Affinity>("core.v1.Affinity", {
        description: "Where the Pod may run. Default: apart from other Jobs.",
      }),
    ),
    volumes: Type.Optional(
      keyedList(["name"], kubernetes<Volume>("core.v1.Volume"), { description: "Further volumes of the Pod." }),
    ),
    volumeMounts: Type.Optional(
      keyedList(["mountPath"], kubernetes<VolumeMount>("core.v1.VolumeMount"), {
        description: "Further mounts of the container.",
      }),
    ),
  },
  { description: "How the Job runs and where backups are kept." },
);
