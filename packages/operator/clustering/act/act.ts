/** Carries plans out. Whatever ends it in the middle, the next look goes on from what is there then. */
import { CodedError, describeError } from "@moco-ts/base";
import type { InstanceSteps, Plan, PodStep, Step } from "../plan.ts";
import type { Surroundings } from "../ports.ts";
import type { Snapshot } from "../snapshot.ts";
import { failover } from "./failover.ts";
import { runInstanceStep } from "./replicas.ts";
import { closePrimary, followSource, openPrimary, preparePrimary } from "./primary.ts";
import { Round } from "./round.ts";
import { switchover } from "./switchover.ts";
import { admit, dismiss, raise } from "./voters.ts";

export interface Problem {
  readonly step: string;
  readonly error: unknown;
}

/** What could not be done. Throws if the plan was made from old knowledge, or if nothing could be written. */
export async function act(
  plan: Plan,
  snapshot: Snapshot,
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<readonly Problem[]> {
  const { steps, perInstance, labels } = plan;
  if (steps.length + perInstance.length + labels.length === 0) return [];
  const round = await Round.begin(snapshot, surroundings, signal);
  if (steps.length + perInstance.length > 0) await round.settle();
  const problems: Problem[] = [];
  const attempt = async (step: string, run: () => Promise<void>): Promise<boolean> => {
    try {
      await run();
      return true;
    } catch (error) {
      signal.throwIfAborted();
      surroundings.log.warn("a step failed", { step, problem: describeError(error) });
      problems.push({ step, error });
      return false;
    }
  };
  let isReady = true;
  for (const step of steps.filter((each) => !changesVoters(each))) {
    isReady = (await attempt(step.kind, () => runStep(round, step))) || step.kind === "nudge";
    if (!isReady) break;
  }
  await Promise.all(
    perInstance.map((each) => attempt(`instance ${each.ordinal}`, () => runInstanceSteps(round, each))),
  );
  await Promise.all(labels.map((each) => attempt(each.kind, () => runPodStep(round, each))));
  if (!isReady) return problems;
  for (const step of steps.filter(changesVoters)) await attempt(step.kind, () => runStep(round, step));
  return problems;
}

/** These wait until others have received everything, which some of them can't before they have been given a source. */
function changesVoters({ kind }: Step): boolean {
  return kind === "admit" || kind === "dismiss" || kind === "raise";
}

async function runStep(round: Round, step: Step): Promise<void> {
  const { snapshot, surroundings, signal } = round;
  surroundings.log.info("clustering", { step });
  switch (step.kind) {
    case "remember":
      return round.write({ memory: step.memory });
    case "failover":
      return failover(round, step.evidence);
    case "switchover":
      return switchover(round, step.to, step.reason);
    case "clone-source":
      return surroundings.startCloneFromSource(snapshot.primaryIndex);
    case "raise":
      return raise(round, step.acknowledgements);
    case "admit":
      return admit(round, step.ordinal, step.uuid);
    case "dismiss":
      return dismiss(round, step.uuid);
    case "close":
      return closePrimary(round);
    case "prepare-primary":
      return preparePrimary(round);
    case "open":
      return openPrimary(round);
    case "nudge":
      return round.primary.nudge(round.memory.primary, signal);
    case "follow-source":
      return followSource(round, step.problem);
  }
}

async function runInstanceSteps(round: Round, { ordinal, uuid, steps }: InstanceSteps): Promise<void> {
  if (uuid === round.memory.primary) {
    throw new CodedError("CLUSTERING_STALE", `instance ${ordinal} has become the primary`);
  }
  for (const step of steps) {
    round.surroundings.log.info("clustering", { ordinal, step });
    await runInstanceStep(round, ordinal, uuid, step);
  }
}

async function runPodStep({ surroundings, signal }: Round, step: PodStep): Promise<void> {
  switch (step.kind) {
    case "label":
      return surroundings.label(step.ordinal, step.role, signal);
    case "prevent-delete":
      return surroundings.preventDelete(step.ordinal, step.prevent, signal);
    case "forget-requests":
      return surroundings.forgetRequests(step.ordinal, signal);
    case "forget-ended":
      return surroundings.forgetEnded(signal);
  }
}
