/** The instances of clusters as Pods. */
import { createdBy, labelKeys, ordinalOf, podName, type ClusterKey, type MySQLCluster } from "@moco-ts/api";
import type { Logger, Metrics } from "@moco-ts/base";
import { createInformer, Pods, type Client, type Container, type Informer, type Pod } from "@moco-ts/kube";

const clusterIndex = "cluster";

/** Follows all instances. Of their specs, only nodes, claims, ConfigMaps and images are kept: there may be thousands of them. */
export function createPodInformer(
  client: Client,
  options: { readonly logger: Logger; readonly metrics: Metrics },
): Informer<Pod> {
  return createInformer(client, Pods, {
    ...options,
    labelSelector: `${labelKeys.createdBy}=${createdBy},${labelKeys.name}=mysql`,
    indexes: { [clusterIndex]: (pod) => clusterOf(pod).map(({ namespace, name }) => `${namespace}/${name}`) },
    transform: reducePod,
  });
}

/** The cluster's instances, by ordinal. Those that are ending are among them. */
export function podsOf(caches: { readonly pods: Informer<Pod> }, { metadata }: MySQLCluster): readonly Pod[] {
  const pods = caches.pods.cache.byIndex(clusterIndex, `${metadata.namespace}/${metadata.name}`);
  return pods.toSorted((one, other) => instanceOrdinal(one) - instanceOrdinal(other));
}

/** The number of an instance that `podsOf` gave. */
export function instanceOrdinal({ metadata }: Pod): number {
  return ordinalOf(metadata?.name ?? "") ?? Number.NaN;
}

/**
 * The cluster that a Pod is an instance of; none if it only carries the labels. Its StatefulSet is not asked for, as Pods
 * have none while that is made anew.
 */
export function clusterOf({ metadata }: Pod): ClusterKey[] {
  const { namespace = "", name: ownName = "", labels } = metadata ?? {};
  const name = labels?.[labelKeys.instance] ?? "";
  const ordinal = ordinalOf(ownName);
  return ordinal !== undefined && podName(name, ordinal) === ownName ? [{ namespace, name }] : [];
}

function reducePod(pod: Pod): Pod {
  const { spec } = pod;
  if (spec === undefined) return pod;
  const { nodeName, volumes = [], containers, initContainers = [] } = spec;
  const kept = volumes.filter(({ persistentVolumeClaim, configMap }) => persistentVolumeClaim ?? configMap);
  return {
    ...pod,
    spec: {
      ...(nodeName !== undefined && { nodeName }),
      volumes: kept,
      containers: containers.map(nameAndImage),
      initContainers: initContainers.map(nameAndImage),
    },
  };
}

function nameAndImage({ name, image }: Container): Container {
  return { name, ...(image !== undefined && { image }) };
}
