import type { Plan } from "./plan.ts";
import type { Member, Snapshot } from "./snapshot.ts";

/** Milliseconds for which a Pod has to be Ready before the next one is touched. */
export const readyLongEnough = 5_000;
/** Milliseconds of these in which a primary may hand over, so that nobody waits for the one after the other. */
const handover = 2_500;

/**
 * The next step of a rolling update, if there is one. It takes down one member at a time, and only if all others work; the
 * primary only after another instance has taken over its role.
 */
export function decide(snapshot: Snapshot): Plan {
  const { cluster, set } = snapshot;
  if (set.forced) {
    if (set.partition === 0) return { kind: "done", reason: "the rollout is forced: Kubernetes does it by itself" };
    return { kind: "step", reason: "the rollout is forced", partition: 0, disrupts: false };
  }
  if (cluster.stopped) return wait("reconciliation is stopped by annotation");
  if (!set.observed) return { ...wait("Kubernetes has not seen the newest StatefulSet yet"), brief: true };
  if (set.remade) return { ...wait("the StatefulSet is being made anew"), brief: true };
  if (!cluster.reconciled) return wait("the newest edit of the MySQLCluster has not been carried out yet");

  const partition = partitionWithoutRestart(snapshot);
  if (partition < set.partition) {
    const reason = "the pods above the partition are of the newest revision already";
    return { kind: "step", reason, partition, disrupts: false };
  }
  if (partition === 0 && isUpToDate(snapshot)) return { kind: "done", reason: "all pods are of the newest revision" };
  // Whether a cluster ever worked is only known once clustering has looked at it.
  return cluster.initialized === false ? decideUnborn(snapshot) : decideLiving(snapshot);
}

/** True while there are Pods of an older revision, or updated ones that did not become Ready since. */
export function isUnderWay({ set, members }: Snapshot): boolean {
  return set.currentRevision !== set.updateRevision || members.some((each) => each.revision !== set.updateRevision);
}

/** True if a first member has been given up for the newest revision, and the last one is not back yet. */
export function isRolling(snapshot: Snapshot): boolean {
  return isUnderWay(snapshot) && snapshot.set.partition < snapshot.set.replicas;
}

/** The lowest partition at which Kubernetes has no Pod to replace that it would not replace now. */
function partitionWithoutRestart({ set, members }: Snapshot): number {
  let { partition } = set;
  const isFree = (ordinal: number): boolean => {
    if (ordinal >= set.replicas) return true;
    const member = members.find((each) => each.ordinal === ordinal);
    return member !== undefined && !member.terminating && member.revision === set.updateRevision;
  };
  while (partition > 0 && isFree(partition - 1)) partition--;
  return partition;
}

function isUpToDate(snapshot: Snapshot): boolean {
  return snapshot.members.length === snapshot.set.replicas && !isUnderWay(snapshot);
}

/**
 * A cluster that never worked has nothing to lose, and a corrected manifest must reach all its Pods: as long as the primary
 * is broken, no other Pod becomes Ready, so that Kubernetes would wait for the last one for ever.
 */
function decideUnborn(snapshot: Snapshot): Plan {
  const { cluster, set, members } = snapshot;
  const primary = members.find(({ ordinal }) => ordinal === cluster.primary);
  if ((cluster.state === "Cloning" || cluster.state === "Restoring") && primary?.running) {
    return wait(`the cluster gets its first data (${cluster.state})`);
  }
  if (set.partition > 0) {
    return { kind: "step", reason: "the cluster has never worked", partition: 0, disrupts: false };
  }
  const outdated = members.filter((each) => each.revision !== set.updateRevision);
  const stuck = outdated.findLast((each) => each.readySince === undefined && !each.terminating);
  if (stuck) return deletion(stuck, "the cluster has never worked");
  const absent = missing(snapshot);
  return stopped(snapshot) ?? (absent ? wait(absent) : waitFor(outdated.at(-1) ?? members.find(isDown)));
}

function decideLiving(snapshot: Snapshot): Plan {
  const { set, members, now } = snapshot;
  const failure = stopped(snapshot);
  if (failure) return failure;
  const next = set.partition - 1;
  const target = members.find(({ ordinal }) => ordinal === next);
  const others = members.filter(({ ordinal }) => ordinal !== next);
  const replaced = others.findLast((each) => each.ordinal > next && each.revision !== set.updateRevision);
  if (target && !replaced && isDead(target)) return replace(target, `${target.name} does not run: ${target.problem}`);
  const revisionAt = (ordinal: number) => (ordinal > next ? set.updateRevision : set.currentRevision);
  const stuck = others.findLast((each) => isDead(each) && each.revision !== revisionAt(each.ordinal));
  if (stuck) return deletion(stuck, "another attempt than it was made for may work");
  const absent = missing(snapshot);
  if (absent) return wait(absent);
  const down = replaced ?? others.findLast(isDown);
  if (down || target === undefined) return waitFor(down);

  const fresh = others.toSorted((one, other) => other.readySince! - one.readySince!)[0];
  const plan = decideTarget(snapshot, target);
  const early = plan.kind === "switchover-first" ? handover : 0;
  const until = (fresh?.readySince ?? 0) + readyLongEnough - early;
  if (until > now) return { kind: "wait", reason: `${fresh!.name} has only just become Ready`, until, brief: true };
  return plan;
}

/** All others work, if perhaps not for long. */
function decideTarget({ cluster, set }: Snapshot, target: Member): Plan {
  const isBroken = target.terminating || target.problem !== undefined || target.lostReadiness;
  // Nothing that works is lost, whatever the state of the cluster is.
  if (isBroken) return replace(target, `${target.name} is down anyway, and all others work`);
  if (target.readySince === undefined) return waitFor(target);
  if (target.protected) return wait(`${target.name} is protected from deletion: replicas lag behind it`);
  if (!cluster.reported) return { ...wait("clustering is just changing the cluster"), brief: true };
  if (!cluster.healthy) return wait(`the cluster is not Healthy${cluster.state ? ` but ${cluster.state}` : ""}`);
  if (target.ordinal !== cluster.primary || set.replicas === 1) {
    return { ...replace(target, `${target.name} is next, and the cluster is Healthy`), disrupts: true };
  }
  const reason = `${target.name} is next: it is the primary, and hands that role over first`;
  return target.demoting ? wait(reason) : { kind: "switchover-first", reason, pod: target };
}

function stopped(snapshot: Snapshot): Plan | undefined {
  if (!isUnderWay(snapshot)) return undefined;
  const { set, members } = snapshot;
  const pod = members.findLast(
    (each) => each.revision === set.updateRevision && each.problem !== undefined && !each.terminating,
  );
  return pod && { kind: "stopped", reason: `${pod.name} was updated and fails: ${pod.problem}`, pod };
}

function missing({ cluster, set, members }: Snapshot): string | undefined {
  if (members.length === set.replicas) return undefined;
  const present = new Set(members.map(({ ordinal }) => ordinal));
  const absent = Array.from({ length: set.replicas }, (_, ordinal) => ordinal).find((each) => !present.has(each));
  return `moco-${cluster.name}-${absent} does not exist yet`;
}

/** No mysqld runs in it: its replacement costs nothing, whatever the state of the others is. */
function isDead({ problem, running, terminating }: Member): boolean {
  return problem !== undefined && !running && !terminating;
}

function isDown({ terminating, readySince }: Member): boolean {
  return terminating || readySince === undefined;
}

/** Undefined: all Pods are as they should be, and Kubernetes has yet to find out. */
function waitFor(member: Member | undefined): Plan {
  if (member === undefined) return { ...wait("Kubernetes has not found the rollout to be complete yet"), brief: true };
  const { name, problem } = member;
  if (member.terminating) return wait(`${name} is ending`);
  if (member.readySince !== undefined) return { ...wait(`${name} is about to be replaced`), brief: true };
  return wait(`${name} is not Ready${problem ? `: ${problem}` : ""}`);
}

function replace({ ordinal }: Member, reason: string): Plan & { kind: "step" } {
  return { kind: "step", reason, partition: ordinal, disrupts: false };
}

function deletion(pod: Member, why: string): Plan {
  return { kind: "delete-stuck-pod", reason: `${pod.name} is of an older revision and not Ready: ${why}`, pod };
}

function wait(reason: string): Plan & { kind: "wait" } {
  return { kind: "wait", reason, brief: false };
}
