import type { Logger, Metrics } from "@moco-ts/base";
import {
  createInformer,
  Nodes,
  PersistentVolumeClaims,
  StorageClasses,
  type Client,
  type Informer,
  type Node,
  type PersistentVolumeClaim,
  type StorageClass,
} from "@moco-ts/kube";

interface CacheOptions {
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Annotations of others can be large, and nobody here reads them. */
const ourPrefix = "resize.topolvm.io/";

/** Claims, of which only what decisions depend on is kept. */
export function createClaimCache(
  client: Client,
  namespaces: readonly string[],
  options: CacheOptions,
): Informer<PersistentVolumeClaim> {
  return createInformer(client, PersistentVolumeClaims, {
    ...options,
    ...(namespaces.length > 0 && { namespaces }),
    transform: reduceClaim,
  });
}

export function createStorageClassCache(client: Client, options: CacheOptions): Informer<StorageClass> {
  return createInformer(client, StorageClasses, options);
}

/** Nodes, of which only the names matter. */
export function createNodeCache(client: Client, options: CacheOptions): Informer<Node> {
  return createInformer(client, Nodes, { ...options, metadataOnly: true });
}

export function reduceClaim({ metadata = {}, spec = {}, status = {} }: PersistentVolumeClaim): PersistentVolumeClaim {
  const { name, namespace, uid, resourceVersion, deletionTimestamp, labels } = metadata;
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.startsWith(ourPrefix));
  const { storageClassName, volumeMode, resources } = spec;
  const { phase, capacity, conditions, allocatedResourceStatuses } = status;
  return {
    metadata: defined({
      name,
      namespace,
      uid,
      resourceVersion,
      deletionTimestamp,
      labels,
      annotations: annotations.length > 0 ? Object.fromEntries(annotations) : undefined,
    }),
    spec: defined({ storageClassName, volumeMode, resources }),
    status: defined({ phase, capacity, conditions, allocatedResourceStatuses }),
  };
}

/** What is left out takes no room. */
function defined<T extends object>(fields: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
