import type { ClusterState } from "@moco-ts/api";
import type { PodView, Snapshot } from "../snapshot.ts";
import {
  acknowledgesTo,
  follows,
  isKnown,
  isOpen,
  isVoter,
  knownInstances,
  others,
  quorum,
  recordedPrimary,
  wantedAcknowledgements,
  type Known,
} from "./facts.ts";

/** The state that users see, tested in this order. `isLost`: the primary has to be replaced by another instance. */
export function classify(snapshot: Snapshot, errant: readonly number[], isLost: boolean): ClusterState {
  const { wanted, memory } = snapshot;
  if (wanted.offline) return "Offline";
  if (isCloning(snapshot)) return "Cloning";
  if (wanted.restore && !snapshot.restored) return "Restoring";
  if (memory === undefined) return "Incomplete";
  const primary = recordedPrimary(snapshot);
  if (isLost || primary === undefined) return canFailOver(snapshot) ? "Failed" : "Lost";
  const serves = wanted.intermediate ? primary.state.superReadOnly : isOpen(primary.state);
  const good = others(knownInstances(snapshot), snapshot).filter((each) => isGood(each, primary, errant));
  const isComplete = good.length === wanted.replicas - 1 && snapshot.instances.every(({ pod }) => isUp(pod));
  if (serves && isComplete && isProtected(snapshot, primary, good)) return "Healthy";
  const half = Math.floor(wanted.replicas / 2);
  return serves && primary.pod?.ready && good.length >= half ? "Degraded" : "Incomplete";
}

export function isCloning({ wanted, cloned, instances, primaryIndex }: Snapshot): boolean {
  if (!wanted.intermediate || cloned) return false;
  const state = instances[primaryIndex]?.state;
  if (state === undefined) return true;
  return state.clone === undefined ? state.executed.isEmpty : state.clone.state !== "Completed";
}

/** A replica that does all that it should, and may become the primary. */
export function isGood(replica: Known, primary: Known, errant: readonly number[]): boolean {
  const { ordinal, pod, state } = replica;
  const isSound = pod?.ready === true && state.superReadOnly && !errant.includes(ordinal);
  return isSound && follows(replica, primary) && primary.state.source.receivers.includes(state.uuid);
}

/** Whether enough voters are known to find every acknowledged transaction among them. */
export function canFailOver(snapshot: Snapshot): boolean {
  const { memory, wanted } = snapshot;
  if (memory === undefined) return false;
  const known = others(snapshot.instances, snapshot).filter(isKnown);
  // What a copy of another cluster has can be had from that again.
  if (wanted.intermediate) return known.filter(({ state }) => state.replica).length > Math.floor(wanted.replicas / 2);
  return known.filter((each) => isVoter(each, memory)).length >= quorum(memory);
}

function isUp(pod: PodView | undefined): boolean {
  return pod !== undefined && pod.ready && !pod.terminating;
}

/** Every member votes, commits wait for as many of them as they should, and no lost voter stands in a failover's way. */
function isProtected(snapshot: Snapshot, primary: Known, good: readonly Known[]): boolean {
  const { memory } = snapshot;
  const acknowledgements = wantedAcknowledgements(snapshot);
  if (acknowledgements === 0) return true;
  if (memory === undefined || memory.acknowledgements < acknowledgements || !primary.state.source.active) return false;
  return canFailOver(snapshot) && good.every((each) => isVoter(each, memory) && acknowledgesTo(each, primary));
}
