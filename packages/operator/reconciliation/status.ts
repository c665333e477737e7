import {
  reconciliationActive,
  reconcileFailed,
  reconcileSucceeded,
  since,
  statefulSetReady,
  type ConditionContent,
  type MySQLCluster,
  type MySQLClusterStatus,
  type ReconcileInfo,
} from "@moco-ts/api";
import type { Configuration, StatefulSet } from "@moco-ts/kube";

type StoredCondition = NonNullable<MySQLClusterStatus["conditions"]>[number];

/** What a reconcile came to, as users see it. */
export interface Findings {
  /** Undefined while a person has stopped reconciliation: nothing is known of what was not looked at. */
  readonly problem: string | undefined;
  readonly statefulSet: StatefulSet | undefined;
  /** The condition of the volumes. */
  readonly volumes: ConditionContent;
  /** Recorded once everything was made from this generation. */
  readonly reconcileInfo: ReconcileInfo | undefined;
}

/** The part of the status that belongs to resources. Clustering and backups apply theirs. */
export function statusOf(cluster: MySQLCluster, findings: Findings, now: number): Configuration<MySQLCluster> {
  const generation = cluster.metadata.generation ?? 0;
  const { problem, statefulSet } = findings;
  return configuration(
    cluster,
    [
      reconciliationActive(true),
      problem === undefined ? reconcileSucceeded(generation) : reconcileFailed(generation, problem),
      readiness(generation, cluster, statefulSet),
      findings.volumes,
    ],
    findings.reconcileInfo ?? cluster.status?.reconcileInfo,
    now,
  );
}

/** While a person has stopped reconciliation, what was found before is left as it is. */
export function stoppedStatusOf(cluster: MySQLCluster, now: number): Configuration<MySQLCluster> {
  const kept = (cluster.status?.conditions ?? []).filter(({ type }) => ownConditions.includes(type));
  return configuration(
    cluster,
    [reconciliationActive(false), ...kept.map(withoutTime)],
    cluster.status?.reconcileInfo,
    now,
  );
}

const ownConditions: readonly string[] = ["ReconcileSuccess", "StatefulSetReady", "VolumesResized"];

function configuration(
  { metadata, status }: MySQLCluster,
  contents: readonly ConditionContent[],
  reconcileInfo: ReconcileInfo | undefined,
  now: number,
): Configuration<MySQLCluster> {
  const conditions = contents.map((content) => since(content, status?.conditions, now));
  return {
    metadata: { name: metadata.name, namespace: metadata.namespace },
    status: { conditions, ...(reconcileInfo && { reconcileInfo }) },
  };
}

function withoutTime({ lastTransitionTime: _time, ...content }: StoredCondition): ConditionContent {
  return content;
}

function readiness(generation: number, cluster: MySQLCluster, found: StatefulSet | undefined): ConditionContent {
  if (found === undefined) return statefulSetReady(generation, "StatefulSetNotFound", "StatefulSet is not found");
  const { metadata, status } = found;
  const wanted = cluster.spec.offline ? 0 : cluster.spec.replicas;
  const isReady =
    status?.observedGeneration === metadata?.generation &&
    status?.currentRevision === status?.updateRevision &&
    (status?.availableReplicas ?? 0) === wanted;
  return isReady
    ? statefulSetReady(generation, "StatefulSetReady", "StatefulSet is ready")
    : statefulSetReady(generation, "StatefulSetNotReady", "StatefulSet is not ready");
}
