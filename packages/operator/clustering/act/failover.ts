import { CodedError, describeError } from "@moco-ts/base";
import { clusterEvents } from "@moco-ts/api";
import { GtidSet, receivedBy, reservedUuid } from "@moco-ts/mysql";
import {
  isApplierDormant,
  isOverrun,
  knownInstances,
  ofPrimaries,
  others,
  quorum,
  type Known,
} from "../decide/facts.ts";
import type { Memory } from "../snapshot.ts";
import { moveLabels, succession } from "./promote.ts";
import type { Round } from "./round.ts";

/** Milliseconds for the new primary to apply what it has received. A longer backlog goes on in the next round. */
const applyLimit = 50_000;

/**
 * Makes the replica with the most transactions the primary. The old one is fenced by taking so many voters away from it
 * that no commit of its can ever get enough acknowledgements again, whether or not it still runs.
 */
export async function failover(round: Round, evidence: string): Promise<void> {
  const { surroundings, snapshot } = round;
  const from = snapshot.primaryIndex;
  let successor: Known;
  try {
    cutOffInPassing(round);
    const stopped = await takeVotersAway(round);
    successor = chooseSuccessor(stopped, round.memory, snapshot.errantBefore, snapshot.wanted.intermediate);
    await applyAll(round, successor);
    const memory = succession(round.memory, successor, true);
    await round.write({ primaryIndex: successor.ordinal, memory });
  } catch (error) {
    round.signal.throwIfAborted();
    surroundings.tell(clusterEvents.failOverFailed(`${describeError(error)} (${evidence})`));
    throw error;
  }
  const to = successor.ordinal;
  surroundings.log.info("failed over", { from, to, evidence });
  surroundings.count("failover");
  surroundings.tell(clusterEvents.failOver(to));
  surroundings.tell(clusterEvents.failOverEvidence(to, evidence));
  await moveLabels(round, from, to);
}

/** It need not succeed, and nobody waits for it; but clients of a primary that can be reached learn sooner. */
function cutOffInPassing({ memory, surroundings, signal }: Round): void {
  if (memory.primaryAddress === "") return;
  surroundings
    .instanceAt(memory.primaryAddress)
    .cutOff(memory.primary, { patience: 0 }, signal)
    .catch((error: unknown) =>
      surroundings.log.info("the old primary is out of reach", { problem: describeError(error) }),
    );
}

/** All that receive nothing any more, enough voters among them. */
async function takeVotersAway(round: Round): Promise<Known[]> {
  const { snapshot, memory, signal } = round;
  // Whoever is being cloned into has no vote, and may be too busy to answer.
  const free = others(knownInstances(snapshot), snapshot).filter(({ cloning }) => !cloning);
  const attempts = free.map(async (view): Promise<Known | undefined> => {
    const { uuid } = view.state;
    const instance = round.instance(view.ordinal);
    await instance.stopReceiver(uuid, signal);
    const state = await instance.observe(signal);
    const isStill = state.replica === undefined || state.replica.receiving === "no";
    return state.uuid === uuid && isStill ? { ...view, state } : undefined;
  });
  const results = await Promise.allSettled(attempts);
  signal.throwIfAborted();
  const stopped = results.flatMap((result) => (result.status === "fulfilled" && result.value ? [result.value] : []));
  if (snapshot.wanted.intermediate) return stopped.filter(({ state }) => state.replica);
  const voters = stopped.filter(({ state }) => memory.voters.includes(state.uuid));
  if (voters.length >= quorum(memory)) return stopped;
  const message = `only ${voters.length} of the ${quorum(memory)} instances that are needed could be taken away from the old primary`;
  throw new CodedError("FAILOVER_TOO_FEW", message);
}

/** The one that has everything that any voter has, and nothing else. */
function chooseSuccessor(known: readonly Known[], memory: Memory, errant: readonly number[], isCopy: boolean): Known {
  const isVoter = ({ state }: Known): boolean => isCopy || memory.voters.includes(state.uuid);
  const voters = known.filter(isVoter);
  const committed = (each: Known): GtidSet =>
    isCopy ? receivedBy(each.state) : ofPrimaries(receivedBy(each.state), memory);
  const everything = voters.reduce((sum, each) => sum.union(committed(each)), GtidSet.empty);
  const isForeign = ({ state }: Known): boolean =>
    !isCopy &&
    receivedBy(state).servers.some((server) => server !== reservedUuid && !memory.primaries.includes(server));
  const complete = known.filter((each) => committed(each).equals(everything));
  const eligible = complete.filter(
    (each) =>
      !errant.includes(each.ordinal) &&
      !isForeign(each) &&
      !isOverrun(each, known) &&
      !each.state.stopping &&
      canApply(each),
  );
  if (memory.written && everything.isEmpty) throw new CodedError("FAILOVER_EMPTY", allGone);
  const ordinals = voters.map(({ ordinal }) => ordinal).join(", ");
  if (complete.length === 0) {
    const message = `instances ${ordinals} each have transactions that another lacks: none of them can be chosen without loss`;
    throw new CodedError("FAILOVER_INCOMPARABLE", message);
  }
  const rank = (each: Known): number => (isVoter(each) ? 0 : 2) + (isStaying(each) ? 0 : 1);
  // Writers wait until it has applied what it has received.
  const [chosen] = eligible.sort(
    (one, other) => rank(one) - rank(other) || backlog(one) - backlog(other) || one.ordinal - other.ordinal,
  );
  if (chosen) return chosen;
  const message = `instance ${complete.map(({ ordinal }) => ordinal).join(", ")} has all transactions but also some of its own, does not apply them, or has lost some that others have under its name`;
  throw new CodedError("FAILOVER_NO_CANDIDATE", message);
}

const allGone =
  "no instance has any data, though the cluster had: bring one with data back, or make the cluster anew from a backup";

function canApply({ state: { executed, replica } }: Known): boolean {
  if (replica === undefined || replica.applying || executed.contains(replica.retrieved)) return true;
  return isApplierDormant(replica);
}

function backlog({ state: { executed, replica } }: Known): number {
  return replica ? Number(replica.retrieved.subtract(executed).size) : 0;
}

function isStaying({ pod }: Known): boolean {
  return pod !== undefined && !pod.terminating;
}

async function applyAll(round: Round, { ordinal, state: { uuid, replica } }: Known): Promise<void> {
  if (replica === undefined) return;
  const instance = round.instance(ordinal);
  if (isApplierDormant(replica)) await instance.startApplier(uuid, round.signal);
  if (await instance.hasExecuted(uuid, replica.retrieved, applyLimit, round.signal)) return;
  const message = `instance ${ordinal} has not yet applied all that it has received`;
  throw new CodedError("FAILOVER_NOT_APPLIED", message);
}
