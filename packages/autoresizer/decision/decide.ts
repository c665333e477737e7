/**
 * decision: what is to be done about one claim. Pure and total, so that every rule can be tested without a cluster.
 */
import { formatDuration } from "@moco-ts/base";
import type { PersistentVolumeClaim } from "@moco-ts/kube";
import { annotationKeys } from "../annotations.ts";
import type { VolumeUsage } from "../usage/usage.ts";
import { amountOf } from "./amounts.ts";
import { groupLabelOf } from "../groups.ts";
import type { Plan, Problem, TargetPlan } from "./plan.ts";
import { AnnotationError, readPolicy, type Policy } from "./policy.ts";
import { isOverdue, isStale, problemOf, resizedAt, whyResizing, type Patience } from "./progress.ts";
import { whyLow } from "./shortage.ts";
import { capacityOf, requestOf, type Snapshot } from "./snapshot.ts";
import { whyIgnored, type Selection } from "./target.ts";
import { quantityText } from "./text.ts";

/** What holds for all claims. */
export interface Rules extends Selection, Patience {
  /** Milliseconds between two resizes where nobody says otherwise. */
  readonly cooldown: number;
}

/** For how long numbers of a volume that is gone may be around: a period of the kubelet and one of Prometheus. */
const namesakeMemory = 2 * 60_000;
const gibibyte = 1024n ** 3n;

export function decide(snapshot: Snapshot, rules: Rules, now: number): Plan {
  const reason = whyIgnored(snapshot.claim, snapshot.storageClass, rules);
  return reason === undefined ? decideTarget(snapshot, rules, now) : { kind: "ignore", reason };
}

/** The same for a claim that is known not to be ignored. */
export function decideTarget(snapshot: Snapshot, rules: Rules, now: number): TargetPlan {
  const { claim, storageClass } = snapshot;
  try {
    const policy = readPolicy(claim, storageClass, rules.cooldown);
    const plan = decideCase(
      { ...snapshot, policy, request: requestOf(claim), capacity: capacityOf(claim) },
      rules,
      now,
    );
    return { ...plan, problem: plan.problem ?? groupProblem(claim) };
  } catch (error) {
    if (error instanceof AnnotationError) return invalid(error);
    throw error;
  }
}

/** A snapshot with what is read from it, once, as there are many. */
interface Case extends Snapshot {
  readonly policy: Policy;
  /** Bytes that are asked for. */
  readonly request: bigint;
  /** Bytes that there are. */
  readonly capacity: bigint;
}

/** It keeps a claim from growing with others, but not from growing. */
function groupProblem(claim: PersistentVolumeClaim): Problem | undefined {
  const group = groupLabelOf(claim, annotationKeys.resizeGroupBy);
  if (group === undefined || group.value !== "") return undefined;
  const message = `${annotationKeys.resizeGroupBy}: "${group.key}": no value is set to the label key ${group.key}`;
  return { name: "InvalidAnnotation", message, about: message };
}

function invalid(error: AnnotationError): TargetPlan {
  const isLimit = error.key === annotationKeys.storageLimit;
  const message = isLimit ? `invalid storage limit: ${error.message}` : error.message;
  const problem = { name: "InvalidAnnotation", message, about: message } as const;
  return { kind: "keep", reason: message, problem, ...(isLimit && { counts: "failed" }) };
}

function decideCase(given: Case, rules: Rules, now: number): TargetPlan {
  const { claim, storageClass, request, capacity } = given;
  if (storageClass?.allowVolumeExpansion !== true) {
    const message = `StorageClass ${storageClass?.metadata?.name} lets no volume grow: it lacks allowVolumeExpansion: true`;
    return { kind: "keep", reason: message, problem: { name: "NotExpandable", message } };
  }
  if (capacity === 0n) return { kind: "wait", reason: "its capacity is not set yet" };
  const resizing = whyResizing(claim, request, capacity);
  if (resizing === undefined) return decideSettled(given, rules, now);
  const problem = problemOf(given, rules, now);
  const reason = `a resize is under way: ${resizing}`;
  if (!isOverdue(given, rules, now)) return { kind: "wait", reason, problem, resizing: true };
  if (request > capacity) {
    return { kind: "resize", request, reason: `${reason}: it is tried again`, problem, resizing: true };
  }
  const plan = decideSettled(given, rules, now);
  return { ...plan, problem: plan.problem ?? problem, resizing: true };
}

/** For a claim that nobody resizes at the moment. */
function decideSettled(given: Case, rules: Rules, now: number): TargetPlan {
  const { usage, recollection, policy } = given;
  const grouped = growWithGroup(given, now);
  if (grouped) return grouped;
  const stale = isStale(given);
  if (usage === undefined) return { kind: "keep", reason: "there are no statistics of its volume" };
  if (now - (recollection?.namesakeSeenAt ?? -Infinity) < namesakeMemory) {
    return { kind: "wait", reason: "its statistics may be those of a claim of the same name that was deleted" };
  }
  if (recollection?.justChanged) {
    return { kind: "wait", reason: "the size of its file system has just changed: other numbers may be older" };
  }
  if (!stale) return grow(given, usage, now);
  if (isOverdue(given, rules, now)) return { ...grow(given, usage, now), resizing: true };
  const problem = whyLow(usage, policy) ? problemOf(given, rules, now) : undefined;
  const reason = "waiting for resizing: its file system has the size that it had before";
  return { kind: "wait", reason, problem, resizing: true };
}

/** Members of a group that grows together become as large as the largest one. */
function growWithGroup(given: Case, now: number): TargetPlan | undefined {
  const { groupRequest = 0n, policy } = given;
  const request = smaller(groupRequest, policy.limit);
  if (request <= given.capacity || request <= given.request) return undefined;
  const cooling = whyCooling(given, now);
  if (cooling) return { kind: "wait", reason: cooling };
  return { kind: "resize", request, reason: `its group has grown to ${quantityText(groupRequest)}` };
}

function grow(given: Case, usage: VolumeUsage, now: number): TargetPlan {
  const { capacity, policy } = given;
  const low = whyLow(usage, policy);
  if (capacity >= policy.limit) {
    const reason = `its limit of ${quantityText(policy.limit)} is reached`;
    const message = `volume storage limit reached: ${low}, and ${annotationKeys.storageLimit} is ${quantityText(policy.limit)}`;
    const problem = low ? ({ name: "LimitReached", message } as const) : undefined;
    return { kind: "keep", reason, problem, counts: "limitReached" };
  }
  if (!low) return { kind: "keep", reason: "it has enough room" };
  const cooling = whyCooling(given, now);
  if (cooling) return { kind: "wait", reason: `${low}, but ${cooling}` };
  const wanted = roundUp(capacity + amountOf(policy.increase, capacity), gibibyte);
  const request = smaller(wanted, policy.limit);
  if (request <= capacity) return { kind: "keep", reason: `${low}, but ${annotationKeys.increase} is 0` };
  return { kind: "resize", request, reason: low };
}

function whyCooling({ claim, policy: { cooldown } }: Case, now: number): string | undefined {
  const left = (resizedAt(claim) ?? -Infinity) + cooldown - now;
  return left > 0
    ? `the cooldown of ${formatDuration(cooldown)} ends in ${formatDuration(Math.ceil(left / 1000) * 1000)}`
    : undefined;
}

function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function roundUp(value: bigint, step: bigint): bigint {
  return ((value + step - 1n) / step) * step;
}
