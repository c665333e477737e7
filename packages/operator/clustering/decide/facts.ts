/** What follows from a snapshot, in the words in which decisions are made. */
import { receivedBy, reservedUuid, type GtidSet, type InstanceState, type ReplicaSide } from "@moco-ts/mysql";
import type { InstanceView, Memory, Snapshot } from "../snapshot.ts";

/** An instance that answered. */
export type Known = InstanceView & { readonly state: InstanceState };

export function isKnown(view: InstanceView): view is Known {
  return view.state !== undefined;
}

export function knownInstances({ instances }: Snapshot): Known[] {
  return instances.filter(isKnown);
}

/**
 * That an instance does not answer, for people. A connection to nowhere fails in one way or another by chance: all of them are
 * told alike, or else the status would change with every look.
 */
export function describeSilence({ ordinal, silence }: InstanceView): string {
  const { reason } = silence ?? { reason: "it has no Pod" };
  return `instance ${ordinal} does not answer (${/took longer|ETIMEDOUT|UNREACH/i.test(reason) ? "timed out" : reason})`;
}

/** Whoever has the primary's ordinal, be it the recorded primary or not. */
export function primaryView({ instances, primaryIndex }: Snapshot): InstanceView | undefined {
  return instances[primaryIndex];
}

/** The instance that the record means; undefined if it can't be asked, or if another server is in its place. */
export function recordedPrimary(snapshot: Snapshot): Known | undefined {
  const view = primaryView(snapshot);
  return view && isKnown(view) && view.state.uuid === snapshot.memory?.primary ? view : undefined;
}

export function others<V extends InstanceView>(views: readonly V[], { primaryIndex }: Snapshot): V[] {
  return views.filter(({ ordinal }) => ordinal !== primaryIndex);
}

/** Acknowledgements that a cluster of this size asks for once all are in sync. */
export function wantedAcknowledgements({ wanted }: Snapshot): number {
  return wanted.intermediate ? 0 : Math.floor(wanted.replicas / 2);
}

/** How many voters beside the old primary must be known, so that at least one of them has any acknowledged transaction. */
export function quorum(memory: Memory): number {
  return memory.voters.length - memory.acknowledgements;
}

export function isVoter({ state }: Known, memory: Memory): boolean {
  return memory.voters.includes(state.uuid);
}

/**
 * Whether clients may write to it. An instance that is being made read-only behind a commit that hangs has the second flag
 * before the first: nobody can begin anything there.
 */
export function isOpen({ readOnly, superReadOnly }: InstanceState): boolean {
  return !readOnly && !superReadOnly;
}

/** Takes no writes and has no commit under way that waits for acknowledgements. */
export function hasStoodDown({ state }: Known): boolean {
  return state.superReadOnly && state.readOnly && !state.source.enabled;
}

/** Replicates from the primary, as far as it can tell. */
export function follows({ state }: Known, primary: InstanceView): boolean {
  return state.replica !== undefined && state.replica.sourceHost === primary.host;
}

/** The primary counts its acknowledgements. */
export function acknowledgesTo(replica: Known, primary: Known): boolean {
  const { state } = replica;
  const receives = follows(replica, primary) && state.replica?.receiving === "yes";
  return receives && state.acknowledges && primary.state.source.receivers.includes(state.uuid);
}

/** Somebody has stopped its applier. A restart of mysqld stops its receiver too, and one that was disturbed says so. */
export function isApplierHeld({ receiving, applying, interrupted }: ReplicaSide): boolean {
  return !applying && receiving !== "no" && !interrupted;
}

/** Its mysqld has restarted and nobody has started the applier since, or one that was disturbed. A person has not stopped it. */
export function isApplierDormant({ receiving, applying, heardAgo, interrupted }: ReplicaSide): boolean {
  return !applying && (interrupted || (receiving === "no" && heardAgo === undefined));
}

/** By which authority a replica knows its source; undefined if one of them has no certificate of ours. */
export function authorityFor(replica: Known, primary: Known, { wanted }: Snapshot): string | undefined {
  const isOurs = ({ state }: Known): boolean => state.authorityFile === wanted.authorityFile;
  return isOurs(replica) && isOurs(primary) ? wanted.authorityFile : undefined;
}

/** The primary no longer has what it lacks. */
export function isStranded({ state }: Known, primary: Known): boolean {
  return !receivedBy(state).contains(primary.state.purged);
}

/** Why an instance with data should be cloned again, errant or not; undefined if it should not. */
export function recloneReason(replica: Known, primary: Known, { wanted }: Snapshot): string | undefined {
  const cannotFollow = isStranded(replica, primary);
  if (receivedBy(replica.state).isEmpty) return cannotFollow ? "it has no data" : undefined;
  if (replica.pod?.reclone) return "it is to be cloned again";
  return cannotFollow && wanted.autoReclone ? "the primary no longer has what it lacks" : undefined;
}

/**
 * Somebody has transactions under its name that it does not have, since it was cloned again and kept its server_uuid. As a
 * primary it would give their numbers to others.
 */
export function isOverrun({ state }: Known, known: readonly Known[]): boolean {
  const own = receivedBy(state).from([state.uuid]);
  return known.some((each) => !own.contains(receivedBy(each.state).from([state.uuid])));
}

/** Voters that no instance is: they are lost, but may still acknowledge somewhere. */
export function lostVoters(snapshot: Snapshot): string[] {
  const { memory, instances, wanted } = snapshot;
  if (memory === undefined || knownInstances(snapshot).length < wanted.replicas) return [];
  return memory.voters.filter((uuid) => !instances.some(({ state }) => state?.uuid === uuid));
}

/** Whether the cluster could do without the vote of one more. */
export function canSpareVoter({ voters, acknowledgements }: Memory): boolean {
  return voters.length - 2 >= acknowledgements;
}

/** Still hears the primary, by its own clock. */
export function hears({ state: { replica } }: Known, primary: InstanceView): boolean {
  if (replica === undefined || replica.sourceHost !== primary.host || replica.receiving !== "yes") return false;
  return replica.queueing || (replica.heardAgo ?? Infinity) <= hearingLimit;
}

const hearingLimit = 3_000;

/** Transactions that a primary of this cluster committed. */
export function ofPrimaries(set: GtidSet, { primaries }: Memory): GtidSet {
  return set.from([...primaries, reservedUuid]);
}

/**
 * Whether the cluster has transactions: then an instance without any has lost its data. What somebody wrote to a replica,
 * or what a deposed primary kept to itself, is not the cluster's.
 */
export function isWritten(snapshot: Snapshot): boolean {
  const { memory } = snapshot;
  if (memory?.written) return true;
  return knownInstances(snapshot).some((each) => {
    const received = receivedBy(each.state);
    if (memory === undefined || each.state.uuid === memory.primary) return !received.isEmpty;
    return isHeard(each, memory) && !ofPrimaries(received, memory).isEmpty;
  });
}

/** What it has from primaries, the cluster has. */
export function isHeard(replica: Known, memory: Memory): boolean {
  return isVoter(replica, memory) && !memory.deposed.includes(replica.state.uuid);
}
