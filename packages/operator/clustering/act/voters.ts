import { CodedError } from "@moco-ts/base";
import type { GtidSet, InstanceState } from "@moco-ts/mysql";
import type { Round } from "./round.ts";

/** The record follows what the server does already, once enough voters have all that was committed before. */
export async function raise(round: Round, acknowledgements: number): Promise<void> {
  const { primary, memory, signal } = round;
  await primary.requireAcknowledgements(memory.primary, acknowledgements, signal);
  const state = await primary.observe(signal);
  const { uuid, source } = state;
  if (uuid !== memory.primary || !source.active || source.acknowledgements < acknowledgements) {
    throw new CodedError("CLUSTERING_NOT_RAISED", `the primary does not wait for ${acknowledgements} acknowledgements`);
  }
  await round.waitForReceivers(round.voters(), writtenBy(state), acknowledgements);
  await round.write({ memory: { ...memory, acknowledgements } });
}

/** Recorded before the instance acknowledges anything. */
export async function admit(round: Round, ordinal: number, uuid: string): Promise<void> {
  const { executed } = await observedPrimary(round);
  await round.waitForReceivers([ordinal], executed, 1);
  const { memory } = round;
  await round.write({ memory: { ...memory, voters: [...new Set([...memory.voters, uuid])].sort() } });
}

/** Forgets a voter after what it acknowledged is known to be on enough others. */
export async function dismiss(round: Round, uuid: string): Promise<void> {
  const found = round.snapshot.instances.find(({ state }) => state?.uuid === uuid);
  if (found) await confirmSilence(round, found.ordinal, uuid);
  const written = writtenBy(await observedPrimary(round));
  const { memory } = round;
  const remaining = round.voters().filter((ordinal) => ordinal !== found?.ordinal);
  await round.waitForReceivers(remaining, written, memory.acknowledgements);
  const without = (uuids: readonly string[]): string[] => uuids.filter((each) => each !== uuid);
  await round.write({ memory: { ...memory, voters: without(memory.voters), deposed: without(memory.deposed) } });
}

/** A commit that still waits may have been acknowledged by a voter already, or may be told of without having waited for any. */
function writtenBy({ executed, committing }: InstanceState): GtidSet {
  return executed.union(committing);
}

async function confirmSilence(round: Round, ordinal: number, uuid: string): Promise<void> {
  const { uuid: found, replica, acknowledges } = await round.instance(ordinal).observe(round.signal);
  const isStill = !acknowledges && (replica === undefined || replica.receiving === "no");
  if (found !== uuid || !isStill) {
    throw new CodedError("CLUSTERING_STILL_VOTING", `instance ${ordinal} may still acknowledge`);
  }
}

async function observedPrimary(round: Round) {
  const state = await round.primary.observe(round.signal);
  if (state.uuid === round.memory.primary) return state;
  throw new CodedError("CLUSTERING_STALE", "another server is in the primary's place");
}
