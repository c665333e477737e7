/** jobs: what backup and restore have in common. */
import { backupLabels, jobNames, labelKeys, type JobConfig, type MySQLCluster, type MySQLUser } from "@moco-ts/api";
import type { Container, PartOf, PodTemplateSpec } from "@moco-ts/kube";
import { spreadOverNodes } from "../affinity.ts";
import { namesOfCluster } from "../metadata.ts";
import { containerSecurity, podSecurity, type PodSettings } from "../security.ts";
import { withoutBlanks } from "../without-blanks.ts";

/** Where moco-backup keeps its temporary files. */
const workDirectory = "/work";

export interface JobInput extends PodSettings {
  readonly cluster: MySQLCluster;
  readonly config: JobConfig;
  readonly image: string;
  readonly containerName: string;
  readonly args: readonly string[];
  /** The MySQL user as whom the program logs in. */
  readonly user: MySQLUser;
}

/** The Pod of a backup or restore Job. */
export function jobPodTemplate(input: JobInput): PartOf<PodTemplateSpec> {
  const config = withoutBlanks(input.config);
  const labels = backupLabels(input.cluster.metadata.name);
  const { [labelKeys.instance]: _, ...ofAllClusters } = labels;
  return {
    metadata: { labels },
    spec: {
      restartPolicy: "Never",
      serviceAccountName: config.serviceAccountName,
      affinity: config.affinity ?? spreadOverNodes(ofAllClusters),
      securityContext: podSecurity(undefined, input),
      volumes: [{ ...config.workVolume, name: jobNames.workVolume }, ...(config.volumes ?? [])],
      containers: [container(input, config)],
    },
  };
}

function container(input: JobInput, config: JobConfig): PartOf<Container> {
  const { containerName, image, args, user, cluster } = input;
  const password = { secretKeyRef: { name: namesOfCluster(cluster).usersSecret, key: user.secretKey } };
  return {
    name: containerName,
    image,
    args: [...args],
    env: [{ name: "MYSQL_PASSWORD", valueFrom: password }, ...(config.env ?? [])],
    ...(config.envFrom && { envFrom: config.envFrom }),
    volumeMounts: [{ name: jobNames.workVolume, mountPath: workDirectory }, ...(config.volumeMounts ?? [])],
    securityContext: containerSecurity({ readOnlyRootFilesystem: true }, input),
    resources: resources(config),
  };
}

function resources({ cpu, memory, maxCpu, maxMemory }: JobConfig) {
  const requests = quantities({ cpu, memory });
  const limits = quantities({ cpu: maxCpu, memory: maxMemory });
  return { ...(requests && { requests }), ...(limits && { limits }) };
}

function quantities(given: Record<string, string | number | null | undefined>): Record<string, string> | undefined {
  const present = Object.entries(given).filter(([, value]) => value !== null && value !== undefined);
  return present.length === 0 ? undefined : Object.fromEntries(present.map(([name, value]) => [name, String(value)]));
}
