import type { MySQLCluster } from "@moco-ts/api";
import type { Pod } from "@moco-ts/kube";
import { isReady, memberOf } from "../cluster/members.ts";
import { Failure } from "../failure.ts";

/** Throws if the cluster can't have another primary. */
export function checkCluster({ spec }: MySQLCluster): void {
  if (spec.offline) throw new Failure("offline cluster is not able to switch");
  if (spec.replicas === 1) throw new Failure("single-instance cluster is not able to switch");
}

/** Throws if `to` can't be the next primary. */
export function checkSuccessor(cluster: MySQLCluster, members: ReadonlyMap<number, Pod>, to: number): void {
  const { spec, status, metadata } = cluster;
  if (to >= spec.replicas) {
    throw new Failure(`there is no instance ${to}`, { advice: `Indexes are 0 to ${spec.replicas - 1}.` });
  }
  if (to === status?.currentPrimaryIndex) throw new Failure(`instance ${to} is the primary already`);
  const pod = memberOf(members, cluster, to);
  if (status?.errantReplicaList?.includes(to)) {
    throw new Failure(`instance ${to} has transactions that the primary does not have, so it can't be the primary`, {
      advice: `To replace its data by a copy: kubectl moco reclone ${pod.metadata?.name}`,
    });
  }
  if (!isReady(pod)) {
    throw new Failure(`instance ${to} is not Ready, so it can't be the primary`, {
      advice: `See kubectl moco status ${metadata.name} for the reason.`,
    });
  }
}
