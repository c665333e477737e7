import { labelKeys, type MySQLCluster } from "@moco-ts/api";
import type { PersistentVolumeClaim } from "@moco-ts/kube";
import type { Caches } from "../caches.ts";
import type { VolumeSnapshot } from "./snapshot.ts";

/** The name of the index of claims by cluster. */
export const claimsOfCluster = "cluster";

/** Which cluster a claim belongs to. By its labels, which the StatefulSet's controller gives every claim. */
export function clusterKeysOf({ metadata }: PersistentVolumeClaim): string[] {
  const name = metadata?.labels?.[labelKeys.instance];
  return name ? [`${metadata.namespace}/${name}`] : [];
}

/** All from copies: nothing is asked. */
export function observeVolumes(
  { claims, storageClasses }: Pick<Caches, "claims" | "storageClasses">,
  cluster: MySQLCluster,
): VolumeSnapshot {
  const { namespace, name } = cluster.metadata;
  const observed = claims.cache.byIndex(claimsOfCluster, `${namespace}/${name}`).map((claim) => {
    const { storageClassName } = claim.spec ?? {};
    return { claim, storageClass: storageClassName ? storageClasses.cache.get(storageClassName) : undefined };
  });
  return { cluster, claims: observed };
}
