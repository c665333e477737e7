import {
  BackupPolicies,
  createdBy,
  fieldManager,
  labelKeys,
  MySQLClusters,
  recreationName,
  type BackupPolicy,
  type MySQLCluster,
} from "@moco-ts/api";
import type { Logger, Metrics } from "@moco-ts/base";
import {
  ConfigMaps,
  controllerOf,
  ControllerRevisions,
  createInformer,
  CronJobs,
  Jobs,
  PersistentVolumeClaims,
  PodDisruptionBudgets,
  RoleBindings,
  Roles,
  Secrets,
  ServiceAccounts,
  Services,
  StatefulSets,
  StorageClasses,
  type Client,
  type ConfigMap,
  type ControllerRevision,
  type CronJob,
  type Informer,
  type Job,
  type KubeObject,
  type PersistentVolumeClaim,
  type Pod,
  type PodDisruptionBudget,
  type Resource,
  type Role,
  type RoleBinding,
  type Secret,
  type Service,
  type ServiceAccount,
  type StatefulSet,
  type StorageClass,
} from "@moco-ts/kube";
import { clusteringManager } from "./clustering/status.ts";
import { createPodInformer } from "./pods.ts";
import { rolloutManager } from "./rollout/partition.ts";
import { claimsOfCluster, clusterKeysOf } from "./volume/observe.ts";
import { recreationManager } from "./volume/replacement.ts";

/** Copies of everything that the operator looks at. Of kinds that others use too, only what is ours is kept. */
export interface Caches {
  readonly clusters: Informer<MySQLCluster>;
  readonly policies: Informer<BackupPolicy>;
  readonly statefulSets: Informer<StatefulSet>;
  readonly services: Informer<Service>;
  readonly secrets: Informer<Secret>;
  readonly configMaps: Informer<ConfigMap>;
  /** ConfigMaps of others, by metadata only: those that a cluster names in `spec.mysqlConfigMapName` are among them. */
  readonly foreignConfigMaps: Informer<ConfigMap>;
  /**
   * Objects of others that are named like ours, by metadata only, for each kind (its plural) that every cluster has. They
   * are never taken over, so that they have to be known of before one is made.
   */
  readonly namesakes: ReadonlyMap<string, Informer<KubeObject>>;
  readonly serviceAccounts: Informer<ServiceAccount>;
  readonly podDisruptionBudgets: Informer<PodDisruptionBudget>;
  readonly cronJobs: Informer<CronJob>;
  readonly jobs: Informer<Job>;
  /** Instances, without what nobody reads of them: see `podsOf`. */
  readonly pods: Informer<Pod>;
  readonly roles: Informer<Role>;
  readonly roleBindings: Informer<RoleBinding>;
  readonly storageClasses: Informer<StorageClass>;
  readonly claims: Informer<PersistentVolumeClaim>;
  /** Records of StatefulSets that are being made anew, by metadata only. */
  readonly recreations: Informer<ControllerRevision>;
}

/** Names of indexes. */
export const clusterIndexes = { userConfigMap: "userConfigMap", backupPolicy: "backupPolicy" } as const;

const ownerIndex = "owner";

/** What belongs to an object, a cluster most often, of one kind. */
export function ownedIn<T extends KubeObject>(informer: Informer<T>, owner: KubeObject): readonly T[] {
  return informer.cache.byIndex(ownerIndex, owner.metadata?.uid ?? "none");
}

export function createCaches(client: Client, options: { readonly logger: Logger; readonly metrics: Metrics }): Caches {
  const clusters = createInformer(client, MySQLClusters, {
    ...options,
    keepManagedFieldsOf: [fieldManager, clusteringManager],
    indexes: {
      [clusterIndexes.userConfigMap]: ({ metadata, spec }) => referenced(metadata.namespace, spec.mysqlConfigMapName),
      [clusterIndexes.backupPolicy]: ({ metadata, spec }) => referenced(metadata.namespace, spec.backupPolicyName),
    },
  });
  const ours = <T extends KubeObject>(resource: Resource<T>): Informer<T> =>
    createInformer(client, resource, {
      ...options,
      labelSelector: `${labelKeys.createdBy}=${createdBy}`,
      keepManagedFieldsOf: [fieldManager, recreationManager, rolloutManager],
      indexes: { [ownerIndex]: (object) => [controllerOf(object)?.uid ?? ""] },
    });
  // Whatever is of no concern is dropped. A ConfigMap that a cluster names later is read when that is reconciled.
  const foreign = <T extends KubeObject>(resource: Resource<T>, concerns: (object: T) => boolean): Informer<T> =>
    createInformer(client, resource, {
      ...options,
      metadataOnly: true,
      labelSelector: `${labelKeys.createdBy}!=${createdBy}`,
      transform: (object) => (isNamedLikeOurs(object) || concerns(object) ? object : undefined),
    });
  const foreignConfigMaps = foreign(ConfigMaps, (object) => isReferenced(clusters, object));
  const others = [Secrets, ServiceAccounts, Services, StatefulSets].map(
    (resource: Resource) => [resource.plural, foreign(resource, () => false)] as const,
  );
  return {
    clusters,
    policies: createInformer(client, BackupPolicies, options),
    statefulSets: ours(StatefulSets),
    services: ours(Services),
    secrets: ours(Secrets),
    configMaps: ours(ConfigMaps),
    foreignConfigMaps,
    namesakes: new Map([[ConfigMaps.plural, foreignConfigMaps], ...others]),
    serviceAccounts: ours(ServiceAccounts),
    podDisruptionBudgets: ours(PodDisruptionBudgets),
    cronJobs: ours(CronJobs),
    jobs: ours(Jobs),
    pods: createPodInformer(client, options),
    roles: ours(Roles),
    roleBindings: ours(RoleBindings),
    storageClasses: createInformer(client, StorageClasses, options),
    claims: createInformer(client, PersistentVolumeClaims, {
      ...options,
      labelSelector: `${labelKeys.createdBy}=${createdBy}`,
      indexes: { [claimsOfCluster]: clusterKeysOf },
    }),
    recreations: createInformer(client, ControllerRevisions, {
      ...options,
      metadataOnly: true,
      labelSelector: `${labelKeys.createdBy}=${createdBy},${labelKeys.name}=${recreationName}`,
    }),
  };
}

/** All that have to be complete before anything is decided. */
export function informersOf({ namesakes, ...named }: Caches): Informer<KubeObject>[] {
  return [...new Set([...Object.values(named), ...namesakes.values()])];
}

function isNamedLikeOurs({ metadata }: KubeObject): boolean {
  return /^(moco|mysql)-/.test(metadata?.name ?? "");
}

function referenced(namespace: string, name: string | null | undefined): string[] {
  return name ? [`${namespace}/${name}`] : [];
}

function isReferenced(clusters: Informer<MySQLCluster>, { metadata }: KubeObject): boolean {
  return clusters.cache.byIndex(clusterIndexes.userConfigMap, `${metadata?.namespace}/${metadata?.name}`).length > 0;
}
