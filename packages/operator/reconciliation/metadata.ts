import {
  clusterLabels,
  MySQLClusters,
  namesOf,
  clusterKeyOf,
  type ClusterNames,
  type MySQLCluster,
} from "@moco-ts/api";
import { controllerReference, type OwnerReference } from "@moco-ts/kube";

export interface OwnedMetadata {
  name: string;
  namespace: string;
  labels: Record<string, string>;
  ownerReferences: OwnerReference[];
}

/** Of an object in the cluster's namespace: it is deleted with its cluster. */
export function ownedMetadata(
  cluster: MySQLCluster,
  name: string,
  labels: Record<string, string> = clusterLabels(cluster.metadata.name),
): OwnedMetadata {
  return {
    name,
    namespace: cluster.metadata.namespace,
    labels,
    ownerReferences: [controllerReference(MySQLClusters, cluster)],
  };
}

export function namesOfCluster(cluster: MySQLCluster): ClusterNames {
  return namesOf(clusterKeyOf(cluster));
}
