import { receivedBy } from "@moco-ts/mysql";
import type { Step } from "../plan.ts";
import type { InstanceView, Memory, Snapshot } from "../snapshot.ts";
import {
  acknowledgesTo,
  describeSilence,
  follows as isFollower,
  hears,
  isHeard,
  isOpen,
  isVoter,
  isWritten,
  knownInstances,
  ofPrimaries,
  others,
  primaryView,
  quorum,
  recordedPrimary,
  wantedAcknowledgements,
  type Known,
} from "./facts.ts";

/** Milliseconds without an answer after which a primary that refuses connections, or has no address, is given up. */
const refusalLimit = 500;
/** Milliseconds for one that does not answer at all: it may be busy. */
const silenceLimit = 2_000;
/**
 * Milliseconds for a successor to be found before a primary whose Pod is being deleted is closed: half of what its kubelet
 * waits. A mysqld that is shut down while clients wait tells them of commits that nobody else has, unless process 1 of its
 * container knows better.
 */
const successionLimit = 10_000;
/** Milliseconds without any acknowledgement after which commits hang. */
const hangingLimit = 1_000;
/** Milliseconds after which somebody else has to take them: replicas connect anew once they have heard nothing for five seconds. */
const isolationLimit = 5_000;
/** Milliseconds after which it is replaced though nobody waits: most likely clients can't reach it either. */
const abandonedLimit = 15_000;

export interface Verdict {
  /** Another instance has to take its place. */
  readonly lost: boolean;
  /** For people. */
  readonly evidence: string;
}

/** Whether the primary can still be one. */
export function judgePrimary(snapshot: Snapshot): Verdict {
  const view = primaryView(snapshot);
  const { memory } = snapshot;
  if (view === undefined || memory === undefined) return { lost: false, evidence: "" };
  const name = `instance ${view.ordinal}`;
  if (view.state === undefined) return judgeSilence(snapshot, view);
  if (view.state.uuid !== memory.primary) {
    return { lost: true, evidence: `${name} is another server than the primary was: its data is gone` };
  }
  if (hasLostData(snapshot, view as Known, memory)) return { lost: true, evidence: `${name} has lost its data` };
  const missing = isOpen(view.state) ? undefined : lacking(snapshot, view as Known, memory);
  if (missing !== undefined) {
    const evidence = `${name} lacks transactions that instance ${missing.ordinal} has`;
    return { lost: !snapshot.wanted.intermediate, evidence };
  }
  return judgeIsolation(snapshot, view as Known, memory);
}

/** It is empty, though the cluster is not: what others have of its first commits is not all that is on its way there. */
function hasLostData(snapshot: Snapshot, { state }: Known, memory: Memory): boolean {
  if (!state.executed.isEmpty || !isWritten(snapshot)) return false;
  const voters = others(knownInstances(snapshot), snapshot).filter((each) => isHeard(each, memory));
  const isComplete = voters.every((each) => state.committing.contains(ofPrimaries(receivedBy(each.state), memory)));
  return state.committing.isEmpty || !isComplete;
}

/**
 * Commits hang, or would if somebody came, as most voters try in vain to reach this primary, and there are enough of them to do without it: it is cut
 * off from them, though not from the operator. Replicas that somebody has stopped don't count.
 */
function judgeIsolation(snapshot: Snapshot, primary: Known, memory: Memory): Verdict {
  const voters = others(knownInstances(snapshot), snapshot).filter((each) => isVoter(each, memory));
  const hearing = voters.filter((each) => hears(each, primary));
  const trying = voters.filter(
    (each) => isFollower(each, primary) && each.state.replica?.receiving !== "no" && !hearing.includes(each),
  );
  const isHeard = hearing.length >= memory.acknowledgements || hearing.length >= trying.length;
  const isReplaceable = trying.length + hearing.length >= quorum(memory);
  const isHanging = primary.waiting > isolationLimit;
  const isAbandoned = hearing.length === 0 && trying.every(isCutOff);
  const lost = (isHanging || isAbandoned) && !isHeard && isReplaceable;
  const count = hearing.length === 0 ? "none" : `only ${hearing.length}`;
  const name = `instance ${primary.ordinal}`;
  const problem = isHanging ? `commits on ${name} hang` : `replicas have not reached ${name} for some time`;
  const evidence = `${problem}, and ${count} of ${voters.length} other instances hears it`;
  return { lost, evidence: lost ? evidence : "" };
}

/** Nothing but the network keeps it from its source, and has for some time. */
function isCutOff({ state: { replica } }: Known): boolean {
  const { heardAgo, receiveError = "" } = replica ?? {};
  return /can't connect/i.test(receiveError) && (heardAgo ?? triedFor(receiveError)) > abandonedLimit;
}

/** Milliseconds at least: since it was pointed to its source it has tried once a second at most, and tells how often. */
function triedFor(error: string): number {
  const [, attempts = "0"] = /(?:attempt|retries:) (\d+)/.exec(error) ?? [];
  return Number(attempts) * 1_000;
}

function judgeSilence(snapshot: Snapshot, view: InstanceView): Verdict {
  const { reason = "", milliseconds = Infinity } = view.silence ?? {};
  const replicas = others(knownInstances(snapshot), snapshot);
  const hearing = replicas.filter((each) => hears(each, view));
  const silent = describeSilence(view);
  const isRefused = /refused|closed|reset|lost|unreach/i.test(reason);
  // Nobody listens there any more, and its own probes say so too: what is heard are the last words of a dying process.
  const isEnding = isRefused && view.pod?.ready !== true && milliseconds >= silenceLimit;
  if (hearing.length > 0 && !isEnding) {
    const ordinals = hearing.map(({ ordinal }) => ordinal).join(", ");
    return { lost: false, evidence: `${silent}, but instance ${ordinals} still hears it` };
  }
  const isGone = view.pod?.address === undefined || isRefused;
  const lost = milliseconds >= (isGone ? refusalLimit : silenceLimit);
  return { lost, evidence: `${silent}, and none of ${replicas.length} other instances hears it` };
}

/**
 * A voter that has what this primary does not have, and must have: of the primary's own transactions any, as its disk has
 * lied then. What others committed was not acknowledged if the primary lacks it, since it began with all that was; but a
 * voter that has everything else too is the better primary.
 */
function lacking(snapshot: Snapshot, primary: Known, memory: Memory): Known | undefined {
  const has = receivedBy(primary.state).union(primary.state.committing);
  const voters = others(knownInstances(snapshot), snapshot).filter((each) => isVoter(each, memory));
  return voters.find(({ ordinal, state }) => {
    const received = receivedBy(state);
    const extra = ofPrimaries(received, memory).subtract(has);
    if (extra.isEmpty) return false;
    const isOwn = !extra.from([primary.state.uuid]).isEmpty;
    // It has been replaced: what it has beyond that, nobody was told of, and its replicas may not reach it any more.
    if (memory.deposed.includes(state.uuid)) return isOwn;
    return isOwn || (received.contains(has) && !snapshot.errantBefore.includes(ordinal));
  });
}

/** What to do to a primary that is there, so that it serves clients, and only as long as that is safe. */
export function maintainPrimary(snapshot: Snapshot): Step[] {
  const primary = recordedPrimary(snapshot)!;
  if (snapshot.wanted.intermediate) return maintainIntermediate(snapshot, primary);
  const memory = snapshot.memory!;
  const { state } = primary;
  const { acknowledgements } = memory;
  if (isOpen(state) && acknowledgements > 0) {
    if (!state.source.active) return [close("it no longer waits for acknowledgements")];
    if (state.source.acknowledgements < acknowledgements) return [close("it waits for too few acknowledgements")];
    if (isEnding(primary)) return [close("it is about to end, and nobody can take its place")];
  }
  const steps: Step[] = [];
  if (needsPreparation(primary, memory)) steps.push({ kind: "prepare-primary" });
  if (!isOpen(state) && mayOpen(snapshot, primary, memory)) steps.push({ kind: "open" });
  if (primary.waiting > hangingLimit && acknowledgingVoters(snapshot).length >= acknowledgements)
    steps.push({ kind: "nudge" });
  return steps;
}

/** Voters beside the primary whose acknowledgements reach it. */
export function acknowledgingVoters(snapshot: Snapshot): Known[] {
  const primary = recordedPrimary(snapshot)!;
  const known = others(knownInstances(snapshot), snapshot);
  return known.filter((each) => isVoter(each, snapshot.memory!) && acknowledgesTo(each, primary));
}

/** Its mysqld may be shut down at any moment. As long as its commits get acknowledgements it may serve for a while. */
function isEnding({ pod, ending, waiting }: Known): boolean {
  if (pod === undefined) return true;
  return pod.terminating && (ending > successionLimit || waiting > hangingLimit);
}

function needsPreparation({ state }: Known, { acknowledgements }: Memory): boolean {
  const isSource = acknowledgements === 0 || (state.source.active && state.source.acknowledgements >= acknowledgements);
  return state.replica !== undefined || state.offlineMode || !isSource || !state.enforced;
}

/** Only with everything on as many voters as commits will wait for, so that the next failover finds it. */
function mayOpen(snapshot: Snapshot, primary: Known, memory: Memory): boolean {
  const { state } = primary;
  if (state.stopping || primary.cloning) return false;
  if (isEnding(primary)) return false;
  // A cluster that was never opened begins with all the safety that it is to have.
  if (!memory.written && memory.acknowledgements < wantedAcknowledgements(snapshot)) return false;
  const voters = others(knownInstances(snapshot), snapshot).filter((each) => isVoter(each, memory));
  const holders = voters.filter((each) => receivedBy(each.state).contains(receivedBy(state)));
  return holders.length >= memory.acknowledgements;
}

function maintainIntermediate(snapshot: Snapshot, primary: Known): Step[] {
  const { state } = primary;
  if (!state.superReadOnly) return [close("it copies another cluster")];
  const isFollowing = state.replica !== undefined && !follows(snapshot, state.replica.sourceHost);
  if (isFollowing && state.replica.receiving !== "no") return [];
  return [{ kind: "follow-source", problem: state.replica?.receiveError }];
}

function follows({ instances }: Snapshot, host: string): boolean {
  return instances.some((each) => each.host === host);
}

function close(reason: string): Step {
  return { kind: "close", reason };
}
