import { CodedError } from "@moco-ts/base";
import { receivedBy, type GtidSet } from "@moco-ts/mysql";
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
  // A commit that still waits may be told of by the acknowledgements that were enough when it began.
  await round.waitForReceivers(round.voters(), state.executed.union(state.committing), acknowledgements);
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
  const received = found && (await receivedInSilence(round, found.ordinal, uuid));
  const { executed, committing } = await observedPrimary(round);
  // Of the commits that still wait it can have acknowledged only what it has.
  const written = executed.union(received ? committing.intersect(received) : committing);
  const { memory } = round;
  const remaining = round.voters().filter((ordinal) => ordinal !== found?.ordinal);
  await round.waitForReceivers(remaining, written, memory.acknowledgements);
  const without = (uuids: readonly string[]): string[] => uuids.filter((each) => each !== uuid);
  await round.write({ memory: { ...memory, voters: without(memory.voters), deposed: without(memory.deposed) } });
}

/** What an instance has that can get and acknowledge nothing more. */
async function receivedInSilence(round: Round, ordinal: number, uuid: string): Promise<GtidSet> {
  const state = await round.instance(ordinal).observe(round.signal);
  const isStill = !state.acknowledges && (state.replica === undefined || state.replica.receiving === "no");
  if (state.uuid === uuid && isStill) return receivedBy(state);
  throw new CodedError("CLUSTERING_STILL_VOTING", `instance ${ordinal} may still acknowledge`);
}

async function observedPrimary(round: Round) {
  const state = await round.primary.observe(round.signal);
  if (state.uuid === round.memory.primary) return state;
  throw new CodedError("CLUSTERING_STALE", "another server is in the primary's place");
}
