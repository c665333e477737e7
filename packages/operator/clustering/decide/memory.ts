import type { InstanceState } from "@moco-ts/mysql";
import type { Memory, Snapshot } from "../snapshot.ts";
import { surplus } from "./errant.ts";
import {
  hasStoodDown,
  isOpen,
  isWritten,
  knownInstances,
  others,
  primaryView,
  recordedPrimary,
  wantedAcknowledgements,
  type Known,
} from "./facts.ts";

/**
 * What has to be remembered before anything else is done; undefined if the memory is as it should be, or if there is
 * nothing yet that could be.
 */
export function memoryToWrite(snapshot: Snapshot): Memory | undefined {
  const { memory } = snapshot;
  if (memory === undefined) return asCopy(snapshot, firstMemory(snapshot));
  const corrected = asCopy(snapshot, correct(snapshot, memory));
  return JSON.stringify(corrected) === JSON.stringify(memory) ? undefined : corrected;
}

/** In a copy of another cluster nobody acknowledges. Whoever is to vote once it is on its own is let in then. */
function asCopy<M extends Memory | undefined>({ wanted }: Snapshot, memory: M): M {
  if (!wanted.intermediate || memory === undefined || memory.acknowledgements > 0) return memory;
  return { ...memory, voters: [memory.primary], deposed: [] };
}

/** Stands for the server_uuid of an instance that has never been seen. */
export function unseen(ordinal: number): string {
  return `unseen-${ordinal}`;
}

function firstMemory(snapshot: Snapshot): Memory | undefined {
  const primary = primaryView(snapshot);
  if (primary === undefined) return undefined;
  const { state } = primary;
  if (state === undefined) return adoptWithoutPrimary(snapshot);
  const replicas = others(knownInstances(snapshot), snapshot);
  const isEmpty = state.executed.isEmpty && state.replica === undefined;
  // Its data is gone, and nobody remembers whose acknowledgements counted: a person has to decide.
  if (isEmpty && replicas.some((each) => !each.state.executed.isEmpty)) return undefined;
  const base = {
    primary: state.uuid,
    primaryAddress: primary.pod?.address ?? "",
    primaries: primariesOf(state),
    deposed: [],
    written: isWritten(snapshot),
    opened: isWritten(snapshot) || isOpen(state),
  };
  // Where there is nothing to lose, everybody has received everything.
  if (!base.written)
    return { ...base, voters: uuidsOf([state, ...replicas.map((each) => each.state)]), acknowledgements: 0 };
  const acknowledgements = state.source.enabled
    ? Math.min(state.source.acknowledgements, wantedAcknowledgements(snapshot))
    : 0;
  const voters = [state.uuid, ...replicas.filter(({ state: { acknowledges } }) => acknowledges).map(uuidOf)];
  return { ...base, voters: [...voters, ...unseenOf(snapshot)].sort(), acknowledgements };
}

/** Replicas know whom they replicate from, also when that is down as the operator takes over. */
function adoptWithoutPrimary(snapshot: Snapshot): Memory | undefined {
  const { instances, primaryIndex } = snapshot;
  const host = instances[primaryIndex]?.host;
  const replicas = others(knownInstances(snapshot), snapshot).filter(
    ({ state }) => state.replica?.sourceHost === host && state.replica?.sourceUuid !== undefined && state.acknowledges,
  );
  const sources = new Set(replicas.map(({ state }) => state.replica!.sourceUuid!));
  const [primary] = sources;
  if (primary === undefined || sources.size > 1 || replicas.every(({ state }) => state.executed.isEmpty))
    return undefined;
  const servers = replicas.flatMap(({ state }) => state.executed.servers);
  return {
    primary,
    primaryAddress: instances[primaryIndex]?.pod?.address ?? "",
    primaries: [...new Set([primary, ...servers])].sort(),
    deposed: [],
    written: true,
    voters: [...new Set([primary, ...replicas.map(uuidOf), ...unseenOf(snapshot)])].sort(),
    acknowledgements: wantedAcknowledgements(snapshot),
  };
}

function correct(snapshot: Snapshot, memory: Memory): Memory {
  const primary = primaryView(snapshot);
  const state = primary?.state;
  if (primary === undefined || state === undefined) return memory;
  const written = memory.written || isWritten(snapshot);
  if (state.uuid !== memory.primary) {
    // Before clients were let in there is nothing that another server in its place could lack.
    const isUntouched = !written && memory.opened === false;
    return isUntouched ? beginAnew(snapshot, memory) : memory;
  }
  const seen = (uuid: string): boolean =>
    snapshot.instances.some((each) => each.state && unseen(each.ordinal) === uuid);
  return {
    ...memory,
    deposed: memory.deposed.filter((uuid) => memory.voters.includes(uuid) && !isReconciled(snapshot, uuid)),
    primaryAddress: primary.pod?.address ?? memory.primaryAddress,
    primaries: [...new Set([...memory.primaries, ...primariesOf(state)])].sort(),
    voters: memory.voters.flatMap((uuid) => (seen(uuid) ? resolve(snapshot, uuid) : [uuid])).sort(),
    written,
  };
}

/** Who was to acknowledge to the server before, and does not answer now, will to this one: it has the same name. */
function beginAnew(snapshot: Snapshot, before: Memory): Memory {
  const memory = firstMemory({ ...snapshot, memory: undefined });
  if (memory === undefined) return before;
  const voters = before.voters.filter((uuid) => uuid !== before.primary);
  return { ...memory, voters: [...new Set([...memory.voters, ...voters])].sort() };
}

/** It was the primary, is back, has stood down, and has nothing that the present one lacks. */
function isReconciled(snapshot: Snapshot, uuid: string): boolean {
  const primary = recordedPrimary(snapshot);
  const found = knownInstances(snapshot).find(({ state }) => state.uuid === uuid);
  if (primary === undefined || found === undefined) return false;
  return hasStoodDown(found) && surplus(found, primary).isEmpty;
}

/** Whoever has the place of an instance that had never been seen votes if it acknowledges. */
function resolve(snapshot: Snapshot, placeholder: string): string[] {
  const found = knownInstances(snapshot).find(({ ordinal }) => unseen(ordinal) === placeholder);
  return found?.state.acknowledges ? [found.state.uuid] : [];
}

function unseenOf(snapshot: Snapshot): string[] {
  return others(snapshot.instances, snapshot)
    .filter(({ state }) => state === undefined)
    .map(({ ordinal }) => unseen(ordinal));
}

/** Whatever the primary has was once committed by a primary, of this cluster or of the one that it was made from. */
function primariesOf({ uuid, executed }: InstanceState): string[] {
  return [...new Set([uuid, ...executed.servers])].sort();
}

function uuidsOf(states: readonly InstanceState[]): string[] {
  return states.map(({ uuid }) => uuid).sort();
}

function uuidOf({ state }: Known): string {
  return state.uuid;
}
