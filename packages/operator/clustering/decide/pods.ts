import type { Role } from "@moco-ts/api";
import type { InstanceStep, InstanceSteps, PodStep, Step } from "../plan.ts";
import type { InstanceView, Snapshot } from "../snapshot.ts";
import type { Errants } from "./errant.ts";
import { follows, isKnown, isOpen, knownInstances, recordedPrimary } from "./facts.ts";
import { isDeletionPrevented } from "./switchover.ts";

/** What else is about to happen. */
interface Intent {
  readonly steps: readonly Step[];
  readonly perInstance: readonly InstanceSteps[];
  /** The ordinal of who is to be the primary next, and gets ready for it. */
  readonly candidate: number | undefined;
}

/** What Pods say to Services and to the admission policy, and which requests on them are met. */
export function maintainPods(snapshot: Snapshot, errants: Errants, intent: Intent): PodStep[] {
  const prevented = isDeletionPrevented(snapshot);
  const ended: PodStep[] = isEndedSettled(snapshot) ? [{ kind: "forget-ended" }] : [];
  const perPod = snapshot.instances.flatMap((view) => {
    const { ordinal, pod } = view;
    if (pod === undefined) return [];
    const wanted: PodStep[] = [];
    const role = roleOf(snapshot, view, errants, intent);
    if (role !== "as it is" && role !== pod.role) wanted.push({ kind: "label", ordinal, role });
    const prevent = prevented && ordinal === snapshot.primaryIndex;
    if (prevent !== pod.preventDelete) wanted.push({ kind: "prevent-delete", ordinal, prevent });
    if (isMet(snapshot, view)) wanted.push({ kind: "forget-requests", ordinal });
    return wanted;
  });
  return [...ended, ...perPod];
}

/** Nobody votes any more whom a person has named; somebody who is there has not ended. */
function isEndedSettled(snapshot: Snapshot): boolean {
  const { wanted, memory } = snapshot;
  const isThere = (uuid: string): boolean => knownInstances(snapshot).some(({ state }) => state.uuid === uuid);
  return wanted.ended.length > 0 && wanted.ended.every((uuid) => isThere(uuid) || !memory?.voters.includes(uuid));
}

function roleOf(
  snapshot: Snapshot,
  view: InstanceView,
  { errant, suspects }: Errants,
  { steps, perInstance, candidate }: Intent,
): Role | undefined | "as it is" {
  const primary = recordedPrimary(snapshot);
  if (primary === undefined) return "as it is";
  if (view.ordinal === snapshot.primaryIndex) {
    const opens = steps.some(({ kind }) => kind === "open");
    const serves = isOpen(primary.state) || opens || snapshot.wanted.intermediate;
    return serves ? "primary" : "as it is";
  }
  if (!isKnown(view) || errant.includes(view.ordinal)) return undefined;
  if (suspects.includes(view.state.uuid)) return "as it is";
  if (view.ordinal === candidate || !view.state.superReadOnly) return undefined;
  if (follows(view, primary)) return "replica";
  // Readers need not leave it: what it had of the old primary it gets from the new one in a moment.
  const isRepointed = perInstance.some((each) => each.ordinal === view.ordinal && each.steps.some(isRepointing));
  return isRepointed ? "as it is" : undefined;
}

function isRepointing(step: InstanceStep): boolean {
  return step.kind === "follow" && step.how === "repoint";
}

/** Only a primary can step down, and only an instance with data can be cloned again. */
function isMet(snapshot: Snapshot, { ordinal, pod, state }: InstanceView): boolean {
  const isPrimary = ordinal === snapshot.primaryIndex;
  const primary = recordedPrimary(snapshot);
  if (pod?.demote && !isPrimary && primary && isOpen(primary.state)) return true;
  return pod?.reclone === true && (isPrimary || state?.executed.isEmpty === true);
}
