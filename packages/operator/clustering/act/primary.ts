import { CodedError } from "@moco-ts/base";
import { clusterEvents } from "@moco-ts/api";
import { isOpen } from "../decide/facts.ts";
import type { Round } from "./round.ts";

/** Milliseconds for transactions under way, when the primary has to be closed for safety's sake. */
const closePatience = 500;
/** Milliseconds for a new primary to apply what it has received. */
const applyLimit = 10_000;

export async function closePrimary(round: Round): Promise<void> {
  const cut = await round.primary.cutOff(round.memory.primary, { patience: closePatience }, round.signal);
  if (!cut.complete) throw new CodedError("CLUSTERING_NOT_CLOSED", `the primary could not be closed: ${cut.problem}`);
}

/** Makes a source of it that waits for acknowledgements. It is not opened by that. */
export async function preparePrimary(round: Round): Promise<void> {
  const { primary, memory, signal } = round;
  const uuid = memory.primary;
  const state = await primary.observe(signal);
  if (!state.enforced) await primary.enforceSettings(uuid, signal);
  if (state.replica) {
    await primary.stopReceiver(uuid, signal);
    const { replica } = await primary.observe(signal);
    if (replica && !(await primary.hasExecuted(uuid, replica.retrieved, applyLimit, signal))) {
      throw new CodedError("CLUSTERING_NOT_APPLIED", "the primary has not applied all that it has received yet");
    }
    await primary.detach(uuid, signal);
  }
  if (state.offlineMode) await primary.leaveOfflineMode(uuid, signal);
  const { acknowledgements } = memory;
  const isSource = state.source.active && state.source.acknowledgements >= acknowledgements;
  if (acknowledgements > 0 && !isSource) await primary.requireAcknowledgements(uuid, acknowledgements, signal);
}

/** Looks once more before clients may write. */
export async function openPrimary(round: Round): Promise<void> {
  const { primary, memory, signal, snapshot, surroundings } = round;
  const before = round.view(snapshot.primaryIndex).state;
  const state = await primary.observe(signal);
  const isSource =
    memory.acknowledgements === 0 || (state.source.active && state.source.acknowledgements >= memory.acknowledgements);
  const isSame = state.uuid === memory.primary && before?.executed.equals(state.executed) === true;
  if (!isSame || !isSource || state.stopping || state.replica !== undefined || isOpen(state)) {
    throw new CodedError("CLUSTERING_NOT_OPENED", "the primary is not as it was when it was to be opened");
  }
  if (memory.opened === false) await round.write({ memory: { ...memory, opened: true } });
  await primary.open(memory.primary, memory.acknowledgements, signal);
  surroundings.tell(clusterEvents.writable());
}

export async function followSource(round: Round, problem: string | undefined): Promise<void> {
  const { primary, memory, signal, surroundings } = round;
  if (problem !== undefined) surroundings.tell(clusterEvents.clusteringFailed(`follow-source: ${problem}`));
  const source = await surroundings.externalSource(signal);
  const { replica } = await primary.observe(signal);
  if (replica === undefined) {
    await primary.attach(memory.primary, source, signal);
  } else {
    if (!replica.applying) await primary.startApplier(memory.primary, signal);
    await primary.stopReceiver(memory.primary, signal);
    await primary.repoint(memory.primary, source, signal);
  }
  await primary.acknowledge(memory.primary, false, signal);
  await primary.startReplica(memory.primary, signal);
}
