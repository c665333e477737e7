import { CodedError, describeError, sleep } from "@moco-ts/base";
import { clusterEvents } from "@moco-ts/api";
import { isKnown, recordedPrimary, type Known } from "../decide/facts.ts";
import { moveLabels, succession } from "./promote.ts";
import type { Round } from "./round.ts";

/** Milliseconds for the candidate to apply what it has, before and after clients are cut off. */
const catchUpLimit = 10_000;
/** Milliseconds for transactions under way: for so long at most all writers wait for the longest of them. */
const patience = 3_000;
/** Milliseconds in which a statement reaches mysqld. On a busy machine it may not: then it takes its second. */
const underWay = 30;

/**
 * Makes a replica the primary while the present one is there. Until the record is written nothing has been promoted:
 * whatever fails before, the next look opens the old primary again.
 */
export async function switchover(round: Round, to: number, reason: string): Promise<void> {
  const { surroundings, snapshot } = round;
  const from = snapshot.primaryIndex;
  try {
    const candidate = await handOver(round, to);
    const old = round.view(from);
    const isGone = old.pod === undefined || old.pod.terminating || old.state?.stopping === true;
    await round.write({ primaryIndex: to, memory: succession(round.memory, candidate, isGone) });
  } catch (error) {
    round.signal.throwIfAborted();
    surroundings.tell(clusterEvents.switchOverFailed(describeError(error)));
    throw error;
  }
  surroundings.log.info("switched over", { from, to, reason });
  surroundings.count("switchover");
  surroundings.tell(clusterEvents.switchOver(to));
  const forget = round.view(from).pod ? surroundings.forgetRequests(from, round.signal) : undefined;
  await Promise.all([moveLabels(round, from, to), forget]);
}

/** The candidate has everything then, and the old primary gets nothing more. */
async function handOver(round: Round, to: number): Promise<Known> {
  const { signal, snapshot } = round;
  const primary = recordedPrimary(snapshot);
  const candidate = round.view(to);
  if (!primary || !isKnown(candidate)) throw new CodedError("SWITCHOVER_UNKNOWN", "an instance does not answer");
  const { uuid } = candidate.state;
  const instance = round.instance(to);
  // First while clients are still served: what is left to be applied afterwards is what they wait for.
  await catchUp(round, to, uuid, primary.state.executed);
  if (snapshot.wanted.intermediate) await stopCopying(round, primary);
  const cut = await round.primary.cutOff(primary.state.uuid, { patience }, signal);
  if (!cut.complete || cut.executed === undefined) {
    throw new CodedError("SWITCHOVER_NOT_CLOSED", `clients of the primary could not be cut off: ${cut.problem}`);
  }
  await catchUp(round, to, uuid, cut.executed);
  // Else it would go on acknowledging to the old primary, if that is opened again one day.
  await whileItStopsWaiting(round, primary, () => instance.stopReceiver(uuid, signal));
  return candidate;
}

/**
 * Nobody is left who waits for acknowledgements of the old primary, and as a replica it must not ask for any. It takes
 * mysqld up to a second to stop that, in which nobody can connect to it, unless a replica leaves just then: it looks after
 * its replicas once a second, and when one of them leaves. What fails here is done again when the old primary stands down.
 */
async function whileItStopsWaiting(round: Round, { state }: Known, leave: () => Promise<void>): Promise<void> {
  const { signal, surroundings } = round;
  if (!state.source.enabled) return leave();
  const stopped = round.primary.requireAcknowledgements(state.uuid, 0, signal).catch((error: unknown) => {
    surroundings.log.info("the old primary still waits for acknowledgements", { problem: describeError(error) });
  });
  try {
    await Promise.race([stopped, sleep(surroundings.clock, underWay, signal)]);
    await leave();
  } finally {
    await stopped;
  }
}

/** What comes from outside would go on changing what it has. If nothing comes of the switchover, it is followed again. */
async function stopCopying({ primary, signal }: Round, { ordinal, state: { uuid } }: Known): Promise<void> {
  await primary.stopReceiver(uuid, signal);
  const { replica } = await primary.observe(signal);
  if (replica && !(await primary.hasExecuted(uuid, replica.retrieved, catchUpLimit, signal))) throw isBehind(ordinal);
}

async function catchUp(
  round: Round,
  to: number,
  uuid: string,
  wanted: Parameters<Known["state"]["executed"]["contains"]>[0],
) {
  if (!(await round.instance(to).hasExecuted(uuid, wanted, catchUpLimit, round.signal))) throw isBehind(to);
}

function isBehind(ordinal: number): CodedError {
  const message = `instance ${ordinal} has not applied all transactions within ${catchUpLimit / 1_000} s`;
  return new CodedError("SWITCHOVER_BEHIND", message);
}
