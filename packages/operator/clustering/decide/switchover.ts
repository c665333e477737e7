import type { Snapshot } from "../snapshot.ts";
import type { Errants } from "./errant.ts";
import { isOverrun, knownInstances, others, recordedPrimary, type Known } from "./facts.ts";
import { isGood } from "./state.ts";

/** Milliseconds. Nodes look at Services once a second at most, and need a moment for it. */
const nodesFollow = 1_300;

export interface Succession {
  readonly to: number;
  readonly reason: string;
  /** Milliseconds for nodes to learn that the next primary serves no readers any more. */
  readonly after: number;
}

/** Another primary, if this one is about to go or somebody asks for it. */
export function decideSwitchover(snapshot: Snapshot, errants: Errants): Succession | undefined {
  const primary = recordedPrimary(snapshot);
  if (primary === undefined || snapshot.holdSwitchover || primary.cloning) return undefined;
  const reason = reasonToLeave(primary);
  if (reason === undefined) return undefined;
  if (!primary.state.stopping && isDeletionPrevented(snapshot)) return undefined;
  const candidate = chooseCandidate(snapshot, primary, errants);
  return candidate && { to: candidate.ordinal, reason, after: timeToWithdraw(snapshot, primary, candidate) };
}

/**
 * A candidate leaves the readers' Service while writers are still served. If it left one Service and joined the other at
 * the same time, every second node would learn of the former first, and send writers to the old primary for a second more.
 */
function timeToWithdraw({ instances }: Snapshot, primary: Known, candidate: Known): number {
  const isAsked = primary.pod?.demote && !primary.pod.terminating && !primary.state.stopping;
  const isOnlyReader = !instances.some(({ pod }) => pod?.role === "replica" && pod !== candidate.pod);
  if (!isAsked || isOnlyReader) return 0;
  return candidate.pod?.role === "replica" ? nodesFollow : Math.max(0, nodesFollow - candidate.inRole);
}

/** Replicas lag so far behind that deleting the primary would stop writers for too long. */
export function isDeletionPrevented(snapshot: Snapshot): boolean {
  const limit = snapshot.wanted.maxDelayForDeletion;
  if (limit === 0) return false;
  return others(knownInstances(snapshot), snapshot).some(({ state }) => (state.replica?.secondsBehind ?? 0) > limit);
}

function reasonToLeave({ pod, state }: Known): string | undefined {
  if (state.stopping) return "its mysqld is being ended";
  if (pod === undefined) return "its Pod is gone";
  if (pod.terminating) return "its Pod is being deleted";
  return pod.demote ? "it was asked to step down" : undefined;
}

/** Asked for, already updated, already chosen, most caught up, lowest ordinal: in this order. */
function chooseCandidate(snapshot: Snapshot, primary: Known, { errant, suspects }: Errants): Known | undefined {
  const candidates = others(knownInstances(snapshot), snapshot).filter(
    (each) =>
      isGood(each, primary, errant) &&
      !isOverrun(each, knownInstances(snapshot)) &&
      !suspects.includes(each.state.uuid) &&
      each.state.replica?.applying === true &&
      !each.state.stopping &&
      !each.pod?.terminating &&
      !each.pod?.demote,
  );
  const ranks = (each: Known): number[] => [
    each.ordinal === primary.pod?.demoteTo ? 0 : 1,
    each.pod?.updated ? 0 : 1,
    each.pod?.role === undefined ? 0 : 1,
    Number(primary.state.executed.subtract(each.state.executed).size),
    each.ordinal,
  ];
  return candidates.sort((one, other) => compare(ranks(one), ranks(other)))[0];
}

function compare(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((rank, position) => rank !== other[position]);
  return index === -1 ? 0 : one[index]! - other[index]!;
}
