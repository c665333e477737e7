import {
  BackupPolicies,
  createdBy,
  fieldManager,
  labelKeys,
  MySQLClusters,
  type BackupPolicy,
  type MySQLCluster,
} from "@moco-ts/api";
import type { Logger, Metrics } from "@moco-ts/base";
import {
  ConfigMaps,
  controllerOf,
  createInformer,
  CronJobs,
  Jobs,
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
  type CronJob,
  type Informer,
  type Job,
  type KubeObject,
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

/** Copies of everything that the operator looks at. Of kinds that others use too, only what is ours is kept. */
export interface Caches {
  readonly clusters: Informer<MySQLCluster>;
  readonly policies: Informer<BackupPolicy>;
  readonly statefulSets: Informer<StatefulSet>;
  readonly services: Informer<Service>;
  readonly secrets: Informer<Secret>;
  readonly configMaps: Informer<ConfigMap>;
  /** ConfigMaps of users, by metadata only: those that a cluster names in `spec.mysqlConfigMapName`. */
  readonly userConfigMaps: Informer<ConfigMap>;
  readonly serviceAccounts: Informer<ServiceAccount>;
  readonly podDisruptionBudgets: Informer<PodDisruptionBudget>;
  readonly cronJobs: Informer<CronJob>;
  readonly jobs: Informer<Job>;
  readonly roles: Informer<Role>;
  readonly roleBindings: Informer<RoleBinding>;
  readonly storageClasses: Informer<StorageClass>;
}

/** Names of indexes. */
export const clusterIndexes = { userConfigMap: "userConfigMap", backupPolicy: "backupPolicy" } as const;

const ownerIndex = "owner";

/** What the cluster made and still has, of one kind. */
export function ownedIn<T extends KubeObject>(informer: Informer<T>, cluster: MySQLCluster): readonly T[] {
  return informer.cache.byIndex(ownerIndex, cluster.metadata.uid ?? "none");
}

export function createCaches(client: Client, options: { readonly logger: Logger; readonly metrics: Metrics }): Caches {
  const clusters = createInformer(client, MySQLClusters, {
    ...options,
    keepManagedFieldsOf: [fieldManager],
    indexes: {
      [clusterIndexes.userConfigMap]: ({ metadata, spec }) => referenced(metadata.namespace, spec.mysqlConfigMapName),
      [clusterIndexes.backupPolicy]: ({ metadata, spec }) => referenced(metadata.namespace, spec.backupPolicyName),
    },
  });
  const ours = <T extends KubeObject>(resource: Resource<T>): Informer<T> =>
    createInformer(client, resource, {
      ...options,
      labelSelector: `${labelKeys.createdBy}=${createdBy}`,
      keepManagedFieldsOf: [fieldManager],
      indexes: { [ownerIndex]: (object) => [controllerOf(object)?.uid ?? ""] },
    });
  return {
    clusters,
    policies: createInformer(client, BackupPolicies, options),
    statefulSets: ours(StatefulSets),
    services: ours(Services),
    secrets: ours(Secrets),
    configMaps: ours(ConfigMaps),
    userConfigMaps: createInformer(client, ConfigMaps, {
      ...options,
      metadataOnly: true,
      // Whatever no cluster names is dropped. One that a cluster names later is read when that is reconciled.
      transform: (object) => (isReferenced(clusters, object) ? object : undefined),
    }),
    serviceAccounts: ours(ServiceAccounts),
    podDisruptionBudgets: ours(PodDisruptionBudgets),
    cronJobs: ours(CronJobs),
    jobs: ours(Jobs),
    roles: ours(Roles),
    roleBindings: ours(RoleBindings),
    storageClasses: createInformer(client, StorageClasses, options),
  };
}

function referenced(namespace: string, name: string | null | undefined): string[] {
  return name ? [`${namespace}/${name}`] : [];
}

function isReferenced(clusters: Informer<MySQLCluster>, { metadata }: KubeObject): boolean {
  return clusters.cache.byIndex(clusterIndexes.userConfigMap, `${metadata?.namespace}/${metadata?.name}`).length > 0;
}
