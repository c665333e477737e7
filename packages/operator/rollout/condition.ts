import { clusterEvents, conditionTypes, since, type ConditionContent, type MySQLCluster } from "@moco-ts/api";
import type { Configuration, ObjectEvent } from "@moco-ts/kube";
import { isUnderWay } from "./decide.ts";
import type { Plan } from "./plan.ts";
import type { Snapshot } from "./snapshot.ts";

/**
 * What people are told of a rolling update: nothing, if there was none yet, or if it has been said, or is over in a moment.
 */
export function conditionOf(cluster: MySQLCluster, snapshot: Snapshot, plan: Plan): ConditionContent | undefined {
  const before = cluster.status?.conditions?.find(({ type }) => type === conditionTypes.rolloutStopped);
  const content = contentOf(snapshot, plan, before !== undefined);
  if (content === undefined) return undefined;
  const isSaid = before?.status === content.status && before.message === content.message;
  return isSaid ? undefined : { ...content, observedGeneration: cluster.metadata.generation ?? 0 };
}

/** The part of the status that belongs to the rollout. */
export function statusOf(
  { metadata, status }: MySQLCluster,
  content: ConditionContent,
  now: number,
): Configuration<MySQLCluster> {
  return {
    metadata: { name: metadata.name, namespace: metadata.namespace },
    status: { conditions: [since(content, status?.conditions, now)] },
  };
}

/** A rollout that stops is worth an Event. */
export function eventOf(cluster: MySQLCluster, { status, message }: ConditionContent): ObjectEvent[] {
  return status === "True" ? [{ regarding: cluster, ...clusterEvents.rolloutStopped(message) }] : [];
}

const advice =
  "No other Pod is touched. Correct the MySQLCluster: the rollout then starts again with this Pod. " +
  "If the Pod recovers, the rollout goes on by itself";

function contentOf(snapshot: Snapshot, plan: Plan, isKnown: boolean): ConditionContent | undefined {
  const type = conditionTypes.rolloutStopped;
  switch (plan.kind) {
    case "stopped":
      return { type, status: "True", reason: "PodFailed", message: `${plan.reason}. ${advice}` };
    case "wait":
    case "switchover-first":
      if (plan.kind === "wait" && (plan.brief || !isUnderWay(snapshot))) return undefined;
      return { type, status: "False", reason: "RollingOut", message: `${progress(snapshot)}: ${plan.reason}` };
    case "done":
      return isKnown ? { type, status: "False", reason: "UpToDate", message: plan.reason } : undefined;
    default:
      return undefined;
  }
}

function progress({ set, members }: Snapshot): string {
  const updated = members.filter(({ revision }) => revision === set.updateRevision).length;
  return `${updated} of ${set.replicas} pods are updated`;
}
