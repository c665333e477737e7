import type { MySQLCluster } from "@moco-ts/api";
import type { ConfigMap, Configuration, StatefulSet } from "@moco-ts/kube";
import { buildFluentBitConfigMap } from "./fluent-bit/build.ts";
import { buildMyCnfConfigMap } from "./my-cnf/build.ts";
import type { PodSettings } from "./security.ts";
import { buildStatefulSet } from "./stateful-set/build.ts";
import type { PodImages } from "./stateful-set/input.ts";
import { decideVersion, type ReconcilerVersion } from "./version.ts";

export interface PlanInput extends PodSettings {
  readonly cluster: MySQLCluster;
  /** The StatefulSet as it is, if there is one. */
  readonly live: StatefulSet | undefined;
  readonly images: PodImages;
  /** The data of the ConfigMap that `spec.mysqlConfigMapName` names. */
  readonly userOptions: Readonly<Record<string, string>>;
  /** Whether an apply would change the template of the Pods. Only asked if there is a StatefulSet. */
  readonly changesPods: (wanted: Configuration<StatefulSet>) => boolean;
}

/** A cluster's instances as they should be. */
export interface InstancesPlan {
  readonly version: ReconcilerVersion;
  readonly myCnf: Configuration<ConfigMap>;
  /** Undefined if the slow query log is not printed. */
  readonly fluentBit: Configuration<ConfigMap> | undefined;
  readonly statefulSet: Configuration<StatefulSet>;
}

/**
 * Newer rules and sidecars wait for an edit of the cluster, or of its mysqld options, that restarts mysqld anyway.
 * Other edits, as of a volume's size, restart nothing.
 */
export function planInstances(input: PlanInput): InstancesPlan {
  const { cluster, live } = input;
  const gentle = build(input, decideVersion({ cluster, live, restarts: false }), live !== undefined);
  if (live === undefined || !isEdited(cluster, live, gentle) || !input.changesPods(gentle.statefulSet)) return gentle;
  return build(input, decideVersion({ cluster, live, restarts: true }), false);
}

function build(input: PlanInput, version: ReconcilerVersion, keepSidecars: boolean): InstancesPlan {
  const { cluster, userOptions } = input;
  const myCnf = buildMyCnfConfigMap({ cluster, version, userOptions });
  const fluentBit = buildFluentBitConfigMap(cluster);
  const configMaps = { myCnf: myCnf.metadata.name, fluentBit: fluentBit?.metadata.name };
  return { version, myCnf, fluentBit, statefulSet: buildStatefulSet({ ...input, version, configMaps, keepSidecars }) };
}

/** Whether the cluster or its options are others than the StatefulSet was made for. */
function isEdited({ metadata, status }: MySQLCluster, live: StatefulSet, { myCnf }: InstancesPlan): boolean {
  const volumes = live.spec?.template.spec?.volumes ?? [];
  const hasOptions = volumes.some(({ configMap }) => configMap?.name === myCnf.metadata.name);
  return status?.reconcileInfo?.generation !== metadata.generation || !hasOptions;
}
