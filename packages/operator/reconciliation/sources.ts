import { labelKeys, MySQLClusters } from "@moco-ts/api";
import {
  changesOf,
  every,
  keyOf,
  ownedBy,
  type Informer,
  type Key,
  type KubeObject,
  type Secret,
  type Source,
} from "@moco-ts/kube";
import { clusterIndexes, type Caches } from "../caches.ts";
import { clusterOf } from "../pods.ts";
import { clusterKeysOf } from "../volume/observe.ts";
import { startChanged } from "./starting/problems.ts";

const hour = 3_600_000;

/** Everything that a cluster's resources are made from, and the resources themselves. */
export function clusterSources(caches: Caches, authorities: readonly Informer<Secret>[]): Source[] {
  const all = (): Key[] => caches.clusters.cache.list().map(keyOf);
  const byIndex = (index: string) => (object: KubeObject) =>
    caches.clusters.cache.byIndex(index, keyOf(object)).map(keyOf);
  const owned = { map: ownedBy(MySQLClusters) };
  return [
    changesOf(caches.clusters),
    // Certificates are renewed in time, though nothing else changes.
    every(hour, all),
    ...authorities.map((secrets) => changesOf(secrets, { map: all })),
    changesOf(caches.policies, { map: byIndex(clusterIndexes.backupPolicy) }),
    changesOf(caches.foreignConfigMaps, { map: byIndex(clusterIndexes.userConfigMap) }),
    changesOf(caches.statefulSets, owned),
    changesOf(caches.pods, { map: (pod) => clusterOf(pod).map(keyOf), when: startChanged }),
    changesOf(caches.claims, { map: clusterKeysOf }),
    changesOf(caches.recreations, owned),
    changesOf(caches.services, owned),
    changesOf(caches.secrets, owned),
    // Those of our own namespace have no owner. They are made once, and are missed only if somebody deletes them.
    changesOf(caches.secrets, { map: kept, when: ({ type }) => type === "deleted" }),
    changesOf(caches.configMaps, owned),
    changesOf(caches.serviceAccounts, owned),
    changesOf(caches.podDisruptionBudgets, owned),
    changesOf(caches.cronJobs, owned),
    // Those that people start by hand belong to the CronJob.
    changesOf(caches.jobs, { map: labelled }),
    changesOf(caches.roles, owned),
    changesOf(caches.roleBindings, owned),
  ];
}

function kept({ metadata }: KubeObject): Key[] {
  const { [labelKeys.instance]: name, [labelKeys.instanceNamespace]: namespace } = metadata?.labels ?? {};
  return name === undefined || namespace === undefined ? [] : [keyOf({ namespace, name })];
}

function labelled({ metadata }: KubeObject): Key[] {
  const name = metadata?.labels?.[labelKeys.instance];
  return name === undefined ? [] : [keyOf({ namespace: metadata?.namespace, name })];
}
