import { clusterLabels, isFluentBitConfigMapName, isMyCnfConfigMapName, type MySQLCluster } from "@moco-ts/api";
import { ConfigMaps, keyOf, prune, StatefulSets, type ConfigMap, type StatefulSet } from "@moco-ts/kube";
import { ownedIn } from "../caches.ts";
import { podsOf } from "../pods.ts";
import { guarded } from "../rollout/guard.ts";
import { recreateStatefulSet } from "../volume/recreate.ts";
import { withTemplatesInUse } from "../volume/templates.ts";
import { keptConfigMaps } from "./history.ts";
import { namesOfCluster } from "./metadata.ts";
import { planInstances, type InstancesPlan } from "./plan.ts";
import { ensure, type Tools } from "./tools.ts";
import { readUserOptions } from "./user-options.ts";
import type { ReconcilerVersion } from "./version.ts";

export interface Instances {
  readonly statefulSet: StatefulSet;
  readonly version: ReconcilerVersion;
  readonly recreated: boolean;
  /** What the user should know of mysqld's options. */
  readonly warnings: readonly string[];
}

/** mysqld's configuration, and the StatefulSet that mounts it. Returns the StatefulSet as it is then. */
export async function makeInstances(tools: Tools, cluster: MySQLCluster, signal: AbortSignal): Promise<Instances> {
  const { applier, caches, config } = tools;
  const live = liveStatefulSet(tools, cluster);
  const { options: userOptions, warnings } = await readUserOptions(tools, cluster, signal);
  const plan = planInstances({
    cluster,
    live,
    images: config.images,
    userOptions,
    defaultSecurityContext: config.defaultSecurityContext,
    changesPods: (wanted) =>
      live !== undefined &&
      applier.preview(StatefulSets, wanted, live).some((path) => path.startsWith(".spec.template")),
  });
  for (const each of [plan.myCnf, plan.fluentBit]) if (each) await ensure(tools, caches.configMaps, each, signal);
  const wanted = withTemplatesInUse(plan.statefulSet, live);
  const recreated = await recreateStatefulSet(tools, cluster, wanted, signal);
  const { object } = await guarded(tools, cluster, liveStatefulSet(tools, cluster), wanted, signal, (version) =>
    ensure(tools, caches.statefulSets, wanted, signal, version),
  );
  await forgetConfigMaps(tools, cluster, plan, object, signal);
  return { statefulSet: object, version: plan.version, recreated, warnings };
}

export function liveStatefulSet({ caches }: Tools, cluster: MySQLCluster): StatefulSet | undefined {
  const { statefulSet: name } = namesOfCluster(cluster);
  return caches.statefulSets.cache.get(keyOf({ namespace: cluster.metadata.namespace, name }));
}

async function forgetConfigMaps(
  { client, caches, config }: Tools,
  cluster: MySQLCluster,
  { myCnf, fluentBit }: InstancesPlan,
  statefulSet: StatefulSet,
  signal: AbortSignal,
): Promise<void> {
  const { name, namespace } = cluster.metadata;
  const pods = podsOf(caches, cluster);
  // A Pod that is being made again may mount what it mounted before: until it is there, nobody knows.
  const isComplete =
    pods.length >= (statefulSet.spec?.replicas ?? 1) && pods.every(({ metadata }) => !metadata?.deletionTimestamp);
  if (!isComplete) return;
  const mounting = [statefulSet.spec?.template.spec, ...pods.map(({ spec }) => spec)];
  const owned = ownedIn(caches.configMaps, cluster);
  const named = (matches: (clusterName: string, objectName: string) => boolean): ConfigMap[] =>
    owned.filter(({ metadata }) => matches(name, metadata?.name ?? ""));
  const keep = [
    ...keptConfigMaps(named(isMyCnfConfigMapName), config.configMapHistoryLimit, myCnf.metadata.name, mounting),
    ...keptConfigMaps(named(isFluentBitConfigMapName), 1, fluentBit?.metadata.name, mounting),
  ];
  const live = [...named(isMyCnfConfigMapName), ...named(isFluentBitConfigMapName)];
  const kinds = [{ resource: ConfigMaps, keep: keep.map((each) => keyOf({ namespace, name: each })), live }];
  await prune({ client, owner: cluster, labels: clusterLabels(name), kinds, signal });
}
