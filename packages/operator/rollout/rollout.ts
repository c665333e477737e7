/**
 * rollout: lets Kubernetes replace the Pods of a changed StatefulSet one after the other, by lowering its partition
 * whenever the cluster can do without the next one. `webhook.ts` and `guard.ts` keep it from replacing any by itself.
 */
import { MySQLClusters } from "@moco-ts/api";
import type { Clock } from "@moco-ts/base";
import {
  done,
  requeueAfter,
  type Applier,
  type Client,
  type Key,
  type ObjectEvent,
  type Outcome,
  type ReconcileContext,
} from "@moco-ts/kube";
import type { Caches } from "../caches.ts";
import type { ClusterMetrics } from "../metrics.ts";
import type { Announcements } from "./announcements.ts";
import { act, isAction, type Action } from "./act.ts";
import { conditionOf, eventOf, statusOf } from "./condition.ts";
import { decide, isRolling } from "./decide.ts";
import { observe, observeLive, snapshotOf, type Observed } from "./observe.ts";
import type { Pace } from "./pace.ts";
import type { Plan } from "./plan.ts";
import { tellProgress } from "./progress.ts";

export interface RolloutTools {
  /** Writes only while this replica leads. */
  readonly client: Client;
  readonly caches: Pick<Caches, "clusters" | "statefulSets" | "pods">;
  /** As the manager of what is said about rolling updates. */
  readonly applier: Applier;
  readonly pace: Pace;
  readonly announcements: Announcements;
  readonly metrics: ClusterMetrics;
  readonly clock: Clock;
}

/** Looks at a cluster's rolling update and takes its next step, if it is time for one. */
export async function reconcile(tools: RolloutTools, key: Key, { signal, log }: ReconcileContext): Promise<Outcome> {
  const { caches, client, clock, pace } = tools;
  const known = observe(caches, key);
  if (known === undefined) {
    pace.forget(key);
    tools.announcements.withdraw(key);
    return done;
  }
  pace.see(key, isRolling(snapshotOf(known, clock.now())));
  const guess = planOf(tools, key, known);
  tellProgress(tools.metrics, known, guess);
  if (!isAction(guess)) return conclude(tools, known, guess, signal);

  const permission = disrupts(guess) ? pace.ask(key) : undefined;
  if (permission?.granted === false) {
    tools.metrics.partitionUpdateRetries.inc({ namespace: known.cluster.metadata.namespace });
    const until = clock.now() + permission.after;
    return conclude(tools, known, { kind: "wait", reason: permission.reason, until, brief: false }, signal);
  }
  let isUsed = false;
  try {
    const live = await observeLive(client, known, signal);
    if (live === undefined) return done;
    const plan = planOf(tools, key, live);
    if (!isAction(plan)) return await conclude(tools, live, plan, signal);
    if (disrupts(plan) && permission === undefined) return requeueAfter(100, "copies were old");
    // Not in the middle of it: clustering writes to the same status then, and writers wait.
    if (plan.kind === "switchover-first") await tell(tools, live, plan, signal);
    const events = await act(client, live, plan, signal);
    isUsed = plan.kind === "step" && plan.disrupts;
    log.info("took a step of a rolling update", { step: plan.kind, reason: plan.reason });
    return { ...done, events };
  } finally {
    if (!isUsed) permission?.giveBack();
  }
}

/**
 * Announcements are asked after everything has been read: a raised partition that was read had been announced. One that is
 * raised later meets another version of the StatefulSet.
 */
function planOf({ announcements, clock }: RolloutTools, key: Key, observed: Observed): Plan {
  if (announcements.has(key)) return { kind: "wait", reason: "the StatefulSet is about to be changed", brief: false };
  return decide(snapshotOf(observed, clock.now()));
}

/** Whether a member that works goes down, or the primary steps down for it: others may have to go first. */
function disrupts(plan: Action): boolean {
  return plan.kind === "switchover-first" || (plan.kind === "step" && plan.disrupts);
}

/** A plan that changes nothing: says so, and when to look again. */
async function conclude(tools: RolloutTools, observed: Observed, plan: Plan, signal: AbortSignal): Promise<Outcome> {
  const events = await tell(tools, observed, plan, signal);
  if (plan.kind !== "wait" || plan.until === undefined) return { ...done, events };
  return { ...requeueAfter(Math.max(plan.until - tools.clock.now(), 0), plan.reason), events };
}

/** Tells people what a rolling update has come to, if they have not been told. */
async function tell(tools: RolloutTools, observed: Observed, plan: Plan, signal: AbortSignal): Promise<ObjectEvent[]> {
  const { cluster } = observed;
  const now = tools.clock.now();
  const condition = conditionOf(cluster, snapshotOf(observed, now), plan);
  if (condition === undefined) return [];
  const status = statusOf(cluster, condition, now);
  await tools.applier.apply(MySQLClusters, status, { live: cluster, subresource: "status", signal });
  return eventOf(cluster, condition);
}
