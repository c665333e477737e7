import { annotationKeys, statefulSetEvents } from "@moco-ts/api";
import { isNotFound, Pods, type Client, type ObjectEvent } from "@moco-ts/kube";
import type { Observed } from "./observe.ts";
import { applyPartition, partitionOf, rolloutManager } from "./partition.ts";
import type { Plan } from "./plan.ts";
import type { Member } from "./snapshot.ts";

/** Plans that change something. */
export type Action = Extract<Plan, { kind: "step" | "switchover-first" | "delete-stuck-pod" }>;

export function isAction(plan: Plan): plan is Action {
  return plan.kind === "step" || plan.kind === "switchover-first" || plan.kind === "delete-stuck-pod";
}

/** Carries a plan out, unless what it was made from has changed since. Returns what people are told. */
export async function act(
  client: Client,
  { cluster, statefulSet }: Observed,
  plan: Action,
  signal: AbortSignal,
): Promise<ObjectEvent[]> {
  const { namespace } = cluster.metadata;
  switch (plan.kind) {
    case "step": {
      const regarding = await applyPartition(client, statefulSet, plan.partition, signal);
      return [{ regarding, ...statefulSetEvents.partitionUpdate(partitionOf(statefulSet), plan.partition) }];
    }
    case "switchover-first":
      await requestSwitchover(client, namespace, plan.pod, signal);
      return [];
    case "delete-stuck-pod":
      return (await deletePod(client, namespace, plan.pod, signal))
        ? [{ regarding: statefulSet, ...statefulSetEvents.stuckPodDeleted(plan.pod.name) }]
        : [];
    default:
      return plan satisfies never;
  }
}

/** Clustering does it, and removes the annotation. */
async function requestSwitchover(client: Client, namespace: string, pod: Member, signal: AbortSignal): Promise<void> {
  // Another Pod of the same name is not meant.
  const metadata = { uid: pod.uid, annotations: { [annotationKeys.demote]: "true" } };
  const options = { fieldManager: rolloutManager, signal };
  await client.patch(Pods, { namespace, name: pod.name }, { type: "merge", body: { metadata } }, options);
}

async function deletePod(client: Client, namespace: string, pod: Member, signal: AbortSignal): Promise<boolean> {
  try {
    await client.delete(Pods, { namespace, name: pod.name }, { preconditions: { uid: pod.uid }, signal });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
