import {
  conditionTypes,
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
import type { ReconcilerVersion } from "./version.ts";

type StoredCondition = NonNullable<MySQLClusterStatus["conditions"]>[number];

/** What a reconcile came to, as users see it. */
export interface Findings {
  readonly statefulSet: StatefulSet | undefined;
  /** Of all but the StatefulSet. What is not among them stays as it was found before. */
  readonly conditions: readonly ConditionContent[];
  /** By which rules everything was made; undefined if it was not. */
  readonly version: ReconcilerVersion | undefined;
}

/** The part of the status that belongs to resources. Clustering and backups apply theirs. */
export function statusOf(cluster: MySQLCluster, findings: Findings, now: number): Configuration<MySQLCluster> {
  const generation = cluster.metadata.generation ?? 0;
  const { statefulSet, conditions, version } = findings;
  const found = [readiness(generation, cluster, statefulSet), ...conditions];
  const kept = ownConditions(cluster).filter(({ type }) => !found.some((condition) => condition.type === type));
  return configuration(
    cluster,
    [reconciliationActive(true), ...found, ...kept],
    version === undefined ? cluster.status?.reconcileInfo : { generation, reconcileVersion: version },
    now,
  );
}

/** Whether everything was made; if not, the problem. */
export function outcomeCondition({ metadata }: MySQLCluster, problem: string | undefined): ConditionContent {
  const generation = metadata.generation ?? 0;
  return problem === undefined ? reconcileSucceeded(generation) : reconcileFailed(generation, problem);
}

/** While a person has stopped reconciliation, what was found before is left as it is. */
export function stoppedStatusOf(cluster: MySQLCluster, now: number): Configuration<MySQLCluster> {
  const contents = [reconciliationActive(false), ...ownConditions(cluster)];
  return configuration(cluster, contents, cluster.status?.reconcileInfo, now);
}

const { reconcileSuccess, statefulSetReady: ready, volumesResized, instancesStartable, optionsSound } = conditionTypes;
const ownTypes: readonly string[] = [reconcileSuccess, ready, volumesResized, instancesStartable, optionsSound];

/** What was found before, but for whether a person has stopped reconciliation. */
function ownConditions({ status }: MySQLCluster): ConditionContent[] {
  return (status?.conditions ?? []).filter(({ type }) => ownTypes.includes(type)).map(withoutTime);
}

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
