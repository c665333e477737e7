import { receivedBy } from "@moco-ts/mysql";
import type { InstanceStep, InstanceSteps } from "../plan.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Errants } from "./errant.ts";
import {
  authorityFor,
  canSpareVoter,
  hasStoodDown,
  isApplierHeld,
  isStranded,
  isVoter,
  knownInstances,
  others,
  recloneReason,
  recordedPrimary,
  type Known,
} from "./facts.ts";

/** What to do to each instance that is not the primary. */
export function maintainReplicas(snapshot: Snapshot, errants: Errants): InstanceSteps[] {
  const primary = recordedPrimary(snapshot)!;
  const replicas = others(knownInstances(snapshot), snapshot);
  // A donor takes one at a time. Who is empty already comes before those that are to be.
  let isCloning = snapshot.instances.some((each) => each.cloning) || replicas.some(isBeingCloned);
  const plans: InstanceSteps[] = [];
  for (const replica of replicas.toSorted((one, other) => size(one) - size(other))) {
    if (replica.cloning || replica.state.stopping || isBeingCloned(replica)) continue;
    const steps = stepsFor(snapshot, replica, primary, errants, isCloning);
    if (steps.some(({ kind }) => kind === "make-empty" || kind === "clone")) isCloning = true;
    if (steps.length > 0) plans.push({ ordinal: replica.ordinal, uuid: replica.state.uuid, steps });
  }
  return plans.sort((one, other) => one.ordinal - other.ordinal);
}

function size({ state }: Known): number {
  return state.executed.isEmpty ? 0 : 1;
}

function isBeingCloned({ state }: Known): boolean {
  return state.clone?.state === "In Progress";
}

function stepsFor(
  snapshot: Snapshot,
  replica: Known,
  primary: Known,
  { errant, suspects }: Errants,
  isCloning: boolean,
): InstanceStep[] {
  const { state, ordinal } = replica;
  const memory = snapshot.memory!;
  if (!hasStoodDown(replica)) return [{ kind: "stand-down" }];
  if (state.offlineMode) return [{ kind: "leave-offline-mode" }];
  const isErrant = errant.includes(ordinal);
  const votes = isVoter(replica, memory);
  const isToBeCloned = recloneReason(replica, primary, snapshot) !== undefined;
  if (isErrant || (isToBeCloned && (!votes || mayLeave(snapshot, replica, primary, errant)))) {
    if (!isIsolated(replica)) return [{ kind: "isolate" }];
    const isWanted = isToBeCloned || snapshot.wanted.autoReclone;
    const canBe = !votes && !isCloning && isDonor(primary, snapshot);
    // One that never got anything may still be told to follow who was the primary before: that has to go too.
    const isBare = state.executed.isEmpty && state.replica === undefined;
    if (!isBare) return isWanted && canBe ? [{ kind: "make-empty" }] : [];
  }
  // It has to be taken from that list before it gets a source.
  if (suspects.includes(state.uuid) || memory.deposed.includes(state.uuid)) return [];
  const settings: InstanceStep[] = !state.enforced ? [{ kind: "enforce-settings" }] : [];
  return [...settings, ...followSteps(snapshot, replica, primary, isCloning)];
}

/** Whether a voter that is to be cloned again can be taken out for it. */
function mayLeave(snapshot: Snapshot, replica: Known, primary: Known, errant: readonly number[]): boolean {
  const memory = snapshot.memory!;
  if (!canSpareVoter(memory)) return false;
  const voters = others(knownInstances(snapshot), snapshot).filter((each) => isVoter(each, memory));
  const holders = voters.filter(({ state }) => receivedBy(state).contains(primary.state.executed));
  // What can't follow any more acknowledges nothing, and as it lacks what those have, errant or not, it can't be promoted.
  if (isStranded(replica, primary) && holders.length >= memory.acknowledgements) return true;
  // One at a time, and only if commits get their acknowledgements without it. Else nobody would be left to hold what was
  // committed, and it could never be dismissed. A primary that was replaced may have transactions of its own: it counts
  // once it is known to have none.
  const sound = voters.filter(
    ({ ordinal, state }) => !errant.includes(ordinal) && !memory.deposed.includes(state.uuid),
  );
  const first = sound.find((each) => recloneReason(each, primary, snapshot) !== undefined);
  return first?.ordinal === replica.ordinal && sound.length - 1 >= memory.acknowledgements;
}

/** Receives nothing and acknowledges nothing. */
function isIsolated({ state }: Known): boolean {
  return !state.acknowledges && (state.replica === undefined || state.replica.receiving === "no");
}

function isDonor({ state, cloning }: Known, { memory }: Snapshot): boolean {
  return !cloning && !state.stopping && (!state.executed.isEmpty || memory?.written !== true);
}

function followSteps(snapshot: Snapshot, replica: Known, primary: Known, isCloning: boolean): InstanceStep[] {
  const { state } = replica;
  const { replica: channel } = state;
  const votes = isVoter(replica, snapshot.memory!);
  const acknowledge = votes && !snapshot.wanted.intermediate;
  const isEmpty = receivedBy(state).isEmpty;
  const isMissing = isStranded(replica, primary);
  if (channel === undefined) {
    // A clone becomes another server, and a vote without a server can't be taken away.
    const isToBeCloned = isEmpty && !primary.state.executed.isEmpty && !votes;
    if (isToBeCloned) return isDonor(primary, snapshot) && !isCloning ? [{ kind: "clone" }] : [];
    return isMissing ? [] : [{ kind: "follow", acknowledge, how: "attach" }];
  }
  const isSecure = authorityFor(replica, primary, snapshot) !== undefined;
  const isPointed = channel.sourceHost === primary.host && channel.attentive && channel.secure === isSecure;
  const isToApply = !channel.applying && !isApplierHeld(channel);
  const applier: InstanceStep[] = isToApply ? [{ kind: "start-applier" }] : [];
  if (isPointed && channel.receiving !== "no" && state.acknowledges === acknowledge) return applier;
  if (isMissing && channel.sourceHost !== primary.host) return [];
  if (isPointed) return [...applier, { kind: "follow", acknowledge, how: "restart" }];
  const applied = state.executed.contains(channel.retrieved);
  if (isToApply) return [...applier, { kind: "follow", acknowledge, how: "repoint" }];
  // Without an applier the relay log would be lost with the change.
  if (!channel.applying && !applied) return [];
  return [{ kind: "follow", acknowledge, how: "repoint" }];
}
