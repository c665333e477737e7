import { annotationKeys, isAnnotated, type MySQLCluster } from "@moco-ts/api";
import type { Pod } from "@moco-ts/kube";
import { isPrimary, isReady } from "../cluster/members.ts";
import { Failure } from "../failure.ts";

/** Throws if the data of instance `index` must not or can't be replaced. */
export function checkReclone(cluster: MySQLCluster, members: ReadonlyMap<number, Pod>, index: number): void {
  const { name } = cluster.metadata;
  if (cluster.spec.offline) {
    throw new Failure("the cluster is offline: there is nobody to copy data from", {
      advice: `To bring it back: kubectl patch mysqlcluster ${name} --type=merge -p '{"spec":{"offline":false}}'`,
    });
  }
  if (isPrimary(cluster, index, members.get(index))) {
    throw new Failure(`instance ${index} is the primary: the others' data are copies of its own`, {
      advice: `Make another instance the primary first: kubectl moco switchover ${name} --wait`,
    });
  }
  if (isAnnotated(cluster, annotationKeys.clusteringStopped)) {
    throw new Failure("clustering is stopped: nobody would do it", {
      advice: `To start it: kubectl moco start clustering ${name}`,
    });
  }
  const donors = [...members].filter(([other, pod]) => other !== index && isReady(pod));
  if (donors.length === 0) {
    throw new Failure("no other instance is Ready: there is nobody to copy data from", {
      advice: `See kubectl moco status ${name} for the reasons.`,
    });
  }
}
