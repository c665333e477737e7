import type { Step } from "../plan.ts";
import type { Snapshot } from "../snapshot.ts";
import {
  canSpareVoter,
  follows,
  isVoter,
  knownInstances,
  others,
  recloneReason,
  recordedPrimary,
  wantedAcknowledgements,
} from "./facts.ts";
import { acknowledgingVoters } from "./primary.ts";
import type { Errants } from "./errant.ts";

/** Milliseconds for a mysqld that has ended to come back before the cluster goes on without its vote. */
const returnLimit = 5_000;

/** Who votes, and how many of them a commit waits for. With every change the record is ahead of what is real. */
export function maintainVoters(snapshot: Snapshot, { errant, suspects }: Errants): Step[] {
  const memory = snapshot.memory!;
  if (snapshot.wanted.intermediate) return [];
  const primary = recordedPrimary(snapshot)!;
  const replicas = others(knownInstances(snapshot), snapshot);
  const steps: Step[] = [];

  const isOdd = (ordinal: number, uuid: string): boolean => errant.includes(ordinal) || suspects.includes(uuid);
  for (const each of replicas) {
    const { ordinal, state } = each;
    const isReceiving = state.replica?.receiving === "yes" && primary.state.source.receivers.includes(state.uuid);
    // Whoever a person takes for dead is let in after that has been cleared up.
    const isTrusted = !isOdd(ordinal, state.uuid) && !snapshot.wanted.ended.includes(state.uuid);
    const isReady = follows(each, primary) && isReceiving && !each.cloning && isTrusted;
    if (isReady && !isVoter(each, memory)) steps.push({ kind: "admit", ordinal, uuid: state.uuid });
  }

  // Newcomers first: as long as there are no more than before, each of these would be needed for every commit.
  const target = Math.min(wantedAcknowledgements(snapshot), Math.floor(memory.voters.length / 2));
  if (memory.acknowledgements < target && acknowledgingVoters(snapshot).length >= target) {
    steps.push({ kind: "raise", acknowledgements: target });
  }

  for (const uuid of memory.voters) {
    const reason = uuid === memory.primary ? undefined : dismissal(snapshot, errant, uuid);
    if (reason !== undefined) steps.push({ kind: "dismiss", uuid, reason });
  }
  return steps;
}

/** Why this voter can't acknowledge any more and need not be waited for; undefined if it can, or if nobody knows. */
function dismissal(snapshot: Snapshot, errant: readonly number[], uuid: string): string | undefined {
  const memory = snapshot.memory!;
  if (!canSpareVoter(memory)) return undefined;
  const found = knownInstances(snapshot).find(({ state }) => state.uuid === uuid);
  if (found === undefined) {
    if (memory.deposed.includes(uuid)) return "it was the primary and had no source";
    if (snapshot.wanted.ended.includes(uuid)) return "its mysqld has ended, as a person says";
    return (snapshot.dead.get(uuid) ?? 0) >= returnLimit ? "its mysqld has ended" : undefined;
  }
  const isStill = found.state.replica === undefined || found.state.replica.receiving === "no";
  if (!isStill || found.state.acknowledges) return undefined;
  if (errant.includes(found.ordinal)) return "it has transactions of its own";
  return recloneReason(found, recordedPrimary(snapshot)!, snapshot);
}
