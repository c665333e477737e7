/** pod-disruption-budget: evictions leave enough semi-synchronous replicas to go on writing. */
import { clusterLabels, type MySQLCluster } from "@moco-ts/api";
import type { Configuration, PodDisruptionBudget } from "@moco-ts/kube";
import { namesOfCluster, ownedMetadata } from "../metadata.ts";

/** None for a single instance, which could never be evicted then, nor for a cluster that is offline. */
export function buildPodDisruptionBudget(
  cluster: MySQLCluster,
  { backupIsRunning }: { readonly backupIsRunning: boolean },
): Configuration<PodDisruptionBudget> | undefined {
  const { replicas, offline = false } = cluster.spec;
  if (offline || replicas < 3) return undefined;
  return {
    metadata: ownedMetadata(cluster, namesOfCluster(cluster).podDisruptionBudget),
    spec: {
      maxUnavailable: backupIsRunning ? 0 : Math.floor(replicas / 2),
      selector: { matchLabels: clusterLabels(cluster.metadata.name) },
    },
  };
}
