import { isDeepStrictEqual } from "node:util";
import { annotationKeys, isAnnotated, MySQLClusters } from "@moco-ts/api";
import { allow, ownedBy, type MutatingHandler, type StatefulSet } from "@moco-ts/kube";
import { withPartition } from "./partition.ts";

const clusterOf = ownedBy(MySQLClusters);

/**
 * Keeps Kubernetes from replacing Pods by itself: whoever changes a cluster's StatefulSet, its Pods stay as they are until
 * the partition is lowered. Only a change of nothing but the partition goes through as it is.
 */
export const mutateStatefulSet: MutatingHandler<StatefulSet> = ({ object, oldObject }) => {
  if (object?.spec === undefined || clusterOf(object).length === 0) return allow();
  if (isAnnotated(object, annotationKeys.forceRollingUpdate)) return { object: withPartition(object, undefined) };
  const isGuarded = object.spec.updateStrategy?.rollingUpdate?.partition !== undefined;
  if (isGuarded && oldObject?.spec && isDeepStrictEqual(apart(object), apart(oldObject))) return allow();
  return { object: withPartition(object, object.spec.replicas ?? 1) };
};

/** All of the spec but the partition. */
function apart(statefulSet: StatefulSet): unknown {
  // Through JSON, so that fields that are undefined count as absent.
  return JSON.parse(JSON.stringify(withPartition(statefulSet, undefined).spec));
}
