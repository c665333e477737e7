/**
 * Decides what to do about a cluster: pure and total, over everything that is known at one moment. The rules by which no
 * acknowledged write is lost are in docs/adr; every plan keeps them from whatever state the last one was cut short in.
 */
import type { Plan, Step } from "../plan.ts";
import type { Snapshot } from "../snapshot.ts";
import { findErrant, type Errants } from "./errant.ts";
import { describeSilence, isOpen, knownInstances, lostVoters, recordedPrimary } from "./facts.ts";
import { memoryToWrite } from "./memory.ts";
import { maintainPods } from "./pods.ts";
import { judgePrimary, maintainPrimary } from "./primary.ts";
import { maintainReplicas } from "./replicas.ts";
import { canFailOver, classify } from "./state.ts";
import { decideSwitchover, type Succession } from "./switchover.ts";
import { maintainVoters } from "./voters.ts";

export function decide(snapshot: Snapshot): Plan {
  const errants = findErrant(snapshot);
  const verdict = judgePrimary(snapshot);
  const state = classify(snapshot, errants.errant, verdict.lost);
  const plan = (reason: string, rest: Partial<Plan> = {}): Plan => ({
    state,
    reason,
    errant: errants.errant,
    suspects: errants.suspects,
    steps: [],
    perInstance: [],
    labels: [],
    again: undefined,
    ...rest,
  });
  if (state === "Offline") return plan("the cluster is offline");
  if (state === "Cloning") return cloning(snapshot, plan);
  if (state === "Restoring") return plan("data is being restored from a backup");

  const memory = memoryToWrite(snapshot);
  if (memory !== undefined)
    return plan("what must not be forgotten is recorded", { steps: [{ kind: "remember", memory }] });
  if (snapshot.memory === undefined) return plan("the first primary has not started yet", { again: soon });

  const primary = recordedPrimary(snapshot);
  if (verdict.lost) {
    if (!canFailOver(snapshot))
      return plan(`${verdict.evidence}, and too few others are known to take its place`, { again: soon });
    return plan(verdict.evidence, { steps: [{ kind: "failover", evidence: verdict.evidence }] });
  }
  if (primary === undefined) return plan(verdict.evidence || "the primary does not answer", { again: soon });

  const succession = decideSwitchover(snapshot, errants);
  if (succession?.after === 0) {
    const { to, reason } = succession;
    return plan("the primary is to be another one", { steps: [{ kind: "switchover", to, reason }] });
  }
  return maintain(snapshot, errants, plan, succession);
}

/** Milliseconds until something is looked at again that no watch or heartbeat tells of. */
const soon = 500;
const later = 5_000;

type PlanFor = (reason: string, rest?: Partial<Plan>) => Plan;

function cloning(snapshot: Snapshot, plan: PlanFor): Plan {
  const primary = snapshot.instances[snapshot.primaryIndex];
  const state = primary?.state;
  if (state === undefined || primary!.cloning)
    return plan("waiting for the clone of the replication source", { again: soon });
  const isIdle = state.clone === undefined || state.clone.state === "Failed" || state.clone.state === "Not Started";
  return plan("the replication source is to be cloned", {
    steps: isIdle ? [{ kind: "clone-source" }] : [],
    again: soon,
  });
}

function maintain(snapshot: Snapshot, errants: Errants, plan: PlanFor, succession: Succession | undefined): Plan {
  const steps: Step[] = [...maintainPrimary(snapshot), ...maintainVoters(snapshot, errants)];
  const perInstance = maintainReplicas(snapshot, errants);
  const labels = maintainPods(snapshot, errants, { steps, perInstance, candidate: succession?.to });
  const isQuiet = steps.length === 0 && perInstance.length === 0;
  const isSettled = isQuiet && !succession && errants.suspects.length === errants.errant.length && isServed(snapshot);
  const reason =
    describeSilences(snapshot) ||
    describeErrants(errants) ||
    describeErrors(snapshot) ||
    describeLoss(snapshot) ||
    (isQuiet ? "all is as it can be now" : "the cluster is being put in order");
  const again = isSettled ? undefined : isQuiet ? soon : later;
  return plan(reason, { steps, perInstance, labels, again: succession ? succession.after : again });
}

function describeSilences({ instances }: Snapshot): string {
  return instances.flatMap((each) => (each.silence ? [describeSilence(each)] : [])).join(", ");
}

function describeErrants({ errant }: Errants): string {
  return errant.map((ordinal) => `instance ${ordinal} has transactions that the primary does not have`).join(", ");
}

/** What keeps replication from going on. */
function describeErrors(snapshot: Snapshot): string {
  return knownInstances(snapshot)
    .flatMap(({ ordinal, state: { replica } }) => {
      const error = replica?.applying === false ? replica.applyError : undefined;
      const problem = error ?? (replica?.receiving === "yes" ? undefined : replica?.receiveError);
      return problem === undefined ? [] : [`instance ${ordinal} does not replicate (${withoutCount(problem)})`];
    })
    .join(", ");
}

/** How often it has tried is left out: the status would change with every try. */
function withoutCount(problem: string): string {
  return problem.replace(/ This was attempt [^.]*\.| retry-time: \d+ retries: \d+/, "");
}

function describeLoss(snapshot: Snapshot): string {
  const lost = lostVoters(snapshot).join(", ");
  if (lost === "" || canFailOver(snapshot)) return "";
  return (
    `no failover is possible, as ${lost} is lost and may still acknowledge writes: ` +
    `if that mysqld has ended for sure, say so by "kubectl moco forget"`
  );
}

/**
 * Everybody is known, nobody seeks its source in vain, and the primary serves. Otherwise something is under way that only
 * another look will show.
 */
function isServed(snapshot: Snapshot): boolean {
  const { wanted } = snapshot;
  const primary = recordedPrimary(snapshot)!;
  const serves = wanted.intermediate || isOpen(primary.state);
  const known = knownInstances(snapshot);
  const isSeeking = known.some(({ state }) => state.replica?.receiving === "connecting");
  return serves && known.length === wanted.replicas && !isSeeking;
}
