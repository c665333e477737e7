import { CodedError } from "@moco-ts/base";
import { authorityFor, isApplierHeld, type Known } from "../decide/facts.ts";
import type { InstanceStep } from "../plan.ts";
import type { Round } from "./round.ts";

/** Does one thing to an instance that is not the primary. */
export async function runInstanceStep(round: Round, ordinal: number, uuid: string, step: InstanceStep): Promise<void> {
  const { signal, surroundings, snapshot } = round;
  const instance = round.instance(ordinal);
  switch (step.kind) {
    case "stand-down":
      return standDown(round, ordinal, uuid);
    case "leave-offline-mode":
      return instance.leaveOfflineMode(uuid, signal);
    case "enforce-settings":
      return instance.enforceSettings(uuid, signal);
    case "isolate":
      await instance.stopReceiver(uuid, signal);
      return instance.acknowledge(uuid, false, signal);
    case "make-empty":
      return startEmptying(round, ordinal, uuid);
    case "clone":
      return surroundings.startClone(ordinal, snapshot.primaryIndex);
    case "start-applier":
      return instance.startApplier(uuid, signal);
    case "follow":
      return follow(round, ordinal, uuid, step);
  }
}

/**
 * Commits that hang for acknowledgements keep a cut from being complete, though their clients are gone. It rejects to stop
 * waiting unless no client can be told of a commit any more.
 */
async function standDown(round: Round, ordinal: number, uuid: string): Promise<void> {
  const instance = round.instance(ordinal);
  await instance.cutOff(uuid, { patience: 0 }, round.signal);
  await instance.requireAcknowledgements(uuid, 0, round.signal);
}

function startEmptying(round: Round, ordinal: number, uuid: string): void {
  if (round.memory.voters.includes(uuid)) {
    throw new CodedError("CLUSTERING_STILL_VOTING", `instance ${ordinal} still votes: its data may be needed`);
  }
  const instance = round.instance(ordinal);
  round.surroundings.startEmptying(ordinal, () => instance.makeEmpty(uuid, round.signal));
}

async function follow(
  round: Round,
  ordinal: number,
  uuid: string,
  { acknowledge, how }: Extract<InstanceStep, { kind: "follow" }>,
): Promise<void> {
  const { signal, surroundings, snapshot, memory } = round;
  if (acknowledge && !memory.voters.includes(uuid)) {
    throw new CodedError("CLUSTERING_NO_VOTER", `instance ${ordinal} does not vote`);
  }
  const instance = round.instance(ordinal);
  const views = [round.view(ordinal), round.view(snapshot.primaryIndex)] as [Known, Known];
  const authorityFile = authorityFor(...views, snapshot);
  const source = { ...surroundings.sourceFor(snapshot.primaryIndex), ...(authorityFile && { authorityFile }) };
  if (how !== "attach") await instance.stopReceiver(uuid, signal);
  // Before every start: what is received without it is never acknowledged later.
  await instance.acknowledge(uuid, acknowledge, signal);
  if (how === "attach") await instance.attach(uuid, source, signal);
  if (how === "repoint") await instance.repoint(uuid, source, signal);
  const channel = views[0].state.replica;
  const isHeld = channel !== undefined && isApplierHeld(channel);
  // An applier that ran is started, too: mysqld may have restarted since, and then it would look as if somebody held it.
  await (isHeld ? instance.startReceiver(uuid, signal) : instance.startReplica(uuid, signal));
}
