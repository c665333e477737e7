/** my-cnf: mysqld's options. Other contents are another object, so that Pods restart with what they were made for. */
import { containerNames, dataKeys, myCnfConfigMapName, type MySQLCluster } from "@moco-ts/api";
import { parseBytes } from "@moco-ts/base";
import type { ConfigMap, Configuration } from "@moco-ts/kube";
import { generateMyCnf } from "@moco-ts/mysql";
import { ownedMetadata } from "../metadata.ts";
import { ownDirectories } from "../stateful-set/directories.ts";
import type { ReconcilerVersion } from "../version.ts";

export interface MyCnfInput {
  readonly cluster: MySQLCluster;
  readonly version: ReconcilerVersion;
  /** The data of the ConfigMap that `spec.mysqlConfigMapName` names. */
  readonly userOptions: Readonly<Record<string, string>>;
}

export function buildMyCnfConfigMap({ cluster, version, userOptions }: MyCnfInput): Configuration<ConfigMap> {
  const { certificates: certificateDirectory } = ownDirectories(cluster);
  const contents = generateMyCnf({ version, userOptions, mysqldMemory: mysqldMemory(cluster), certificateDirectory });
  const name = myCnfConfigMapName(cluster.metadata.name, contents);
  return { metadata: ownedMetadata(cluster, name), data: { [dataKeys.myCnf]: contents } };
}

/** Bytes that mysqld can count on: what its container requests, or else its limit, or else 0. */
function mysqldMemory({ spec }: MySQLCluster): bigint {
  const { resources } = spec.podTemplate.spec.containers?.find(({ name }) => name === containerNames.mysqld) ?? {};
  const sizes = [resources?.requests?.memory, resources?.limits?.memory].map((size) => parseBytes(String(size ?? 0)));
  return sizes.find((size) => size > 0n) ?? 0n;
}
