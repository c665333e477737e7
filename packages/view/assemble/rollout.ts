import { annotationKeys, conditionTypes, isAnnotated, type MySQLCluster } from "@moco-ts/api";
import type { Pod, StatefulSet } from "@moco-ts/kube";
import type { RolloutView } from "../model.ts";
import { isFailing, isReady, podStatusOf } from "./pod-status.ts";

/** How far the newest template has come, judged by the Pods: a StatefulSet that was made anew has forgotten. */
export function rolloutOf(
  cluster: MySQLCluster,
  statefulSet: StatefulSet | undefined,
  pods: ReadonlyMap<number, Pod>,
): RolloutView {
  const total = cluster.spec.offline ? 0 : cluster.spec.replicas;
  const forced = isAnnotated(cluster, annotationKeys.forceRollingUpdate);
  if (!statefulSet) return { state: "missing", partition: 0, updated: 0, total, forced };
  const partition = statefulSet.spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
  const revision = statefulSet.status?.updateRevision;
  const isUpdated = (pod: Pod): boolean => pod.metadata?.labels?.["controller-revision-hash"] === revision;
  const updated = [...pods.values()].filter(isUpdated);
  const facts = { partition, updated: updated.length, total, ...(revision && { revision }), forced };
  const observed = statefulSet.status?.observedGeneration === statefulSet.metadata?.generation;
  if (observed && updated.length >= total) return { state: "complete", ...facts };

  const told = cluster.status?.conditions?.find(({ type }) => type === conditionTypes.rolloutStopped);
  if (told?.status === "True") return { state: "stopped", ...facts, reason: told.message };
  // Controllers that don't tell leave it to whoever looks.
  const failed = updated.find(isFailing);
  if (failed) return { state: "stopped", ...facts, reason: failureOf(failed) };
  const reason = waitingFor(cluster, updated, pods, partition);
  return { state: "rolling", ...facts, ...(reason && { reason }) };
}

function failureOf(pod: Pod): string {
  const { status, problem } = podStatusOf(pod);
  const what = problem ? `${status}: ${problem}` : status;
  return `${pod.metadata?.name} is updated and does not start: ${what}. Correct the MySQLCluster: the rollout begins again with it`;
}

function waitingFor(
  cluster: MySQLCluster,
  updated: readonly Pod[],
  pods: ReadonlyMap<number, Pod>,
  partition: number,
): string | undefined {
  const starting = updated.find((pod) => !isReady(pod));
  if (starting) return `${starting.metadata?.name} is updated and not Ready yet`;
  const ending = [...pods.values()].find(({ metadata }) => metadata?.deletionTimestamp);
  if (ending) return `${ending.metadata?.name} is being replaced`;
  if (partition === 0) return undefined;
  const healthy = cluster.status?.conditions?.find(({ type }) => type === conditionTypes.healthy);
  if (healthy?.status !== "True") return `the cluster is not Healthy (${healthy?.reason ?? "nobody has looked yet"})`;
  return `instance ${partition - 1} is next`;
}
