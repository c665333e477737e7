/**
 * One story: a cluster, clients that write to it, faults, and the operator's own code in the middle. Everything follows
 * from the seed.
 */
import { Client } from "./clients.ts";
import { Faults } from "./faults/faults.ts";
import { tellEnded } from "./faults/people.ts";
import type { FaultName } from "./faults/kinds.ts";
import { GtidSets, isNothing } from "./gtids.ts";
import { Leadership } from "./leadership.ts";
import type { Subject } from "./operator.ts";
import { Random } from "./random.ts";
import { hasEverything, isErrant } from "./rules.ts";
import { begin, drawScenario, type Scenario } from "./scenario.ts";
import { World } from "./world.ts";

export interface SimulationOptions {
  readonly seed: number;
  readonly subject: Subject;
  /** Whether the story is wanted, and not only how it ends. */
  readonly isTold?: boolean;
  /** Faults that happen most of the time. Default: all are as likely as they are. */
  readonly focus?: readonly FaultName[];
  /** Sets that were made before, to save time. */
  readonly gtids?: GtidSets;
}

export interface Outcome {
  readonly seed: number;
  readonly scenario: Scenario;
  /** What went wrong; undefined if nothing did. */
  readonly violation: string | undefined;
  readonly story: readonly string[];
  /** Rows that clients were told are committed. */
  readonly acknowledged: number;
  readonly events: number;
  /** Milliseconds of simulated time. */
  readonly duration: number;
  /** Milliseconds from the end of all faults until everything was well again. */
  readonly recovery: number;
}

/** Milliseconds for everything to be well again once faults have stopped. */
const recoveryLimit = 180_000;
/** Milliseconds for writers to be served again by a cluster whose primary is cut off from its replicas. */
const successionLimit = 120_000;

export async function simulate({ seed, subject, isTold = false, gtids, focus }: SimulationOptions): Promise<Outcome> {
  const scenario = drawScenario(new Random(seed));
  const { replicas, version } = scenario;
  const world = new World({ seed, replicas, version, gtids: gtids ?? new GtidSets(), isTold });
  const { scheduler, invariants, random, machines, story } = world;
  story.tell("world", () => JSON.stringify({ seed, ...scenario }));
  begin(world, scenario);
  const leadership = new Leadership(world, subject);
  const clients = Array.from(
    { length: scenario.clients },
    (_, index) => new Client(world, `client-${index + 1}`, scenario.patient),
  );
  const faults = new Faults(world, leadership, focus);
  planFaults(world, faults, scenario);
  const beat = (): void => {
    machines.updateReadiness();
    scheduler.after(1_000, beat);
  };
  scheduler.after(random.between(0, 1_000), beat);
  const visit = (): void => {
    tellEnded(world);
    scheduler.after(20_000, visit);
  };
  visit();
  const end = { isReached: false };
  scheduler.after(scenario.storm, () => {
    faults.calm();
    const judge = (): void => {
      const isWanted = scenario.isolation && replicas > 1;
      if (isWell(world, leadership, clients, scenario.storm) && !(isWanted && isAsked(world))) {
        if (isWanted) return isolatePrimary(world, clients, end);
        end.isReached = true;
        return;
      }
      if (scheduler.now - scenario.storm < recoveryLimit) return void scheduler.after(250, judge);
      if (needsPerson(world)) end.isReached = true;
      else invariants.fail("liveness", "it never became healthy again");
    };
    judge();
  });

  let events = 0;
  await drained();
  while (!end.isReached && invariants.violation === undefined && scheduler.step()) {
    events++;
    if (world.takeSettled()) await drained();
    invariants.check();
  }
  const primary = machines.allDisks.find(({ uuid }) => uuid === world.api.memory?.primary);
  if (invariants.violation === undefined && primary) invariants.fail("1", hasEverything(invariants.truth(), primary));
  story.tell("world", invariants.violation ?? "all is well");
  return {
    seed,
    scenario,
    violation: invariants.violation,
    story: story.lines,
    acknowledged: invariants.acknowledged.size,
    events,
    duration: scheduler.now,
    recovery: Math.max(scheduler.now - scenario.storm, 0),
  };
}

/** At some moment, or in the middle of something that the operator does. */
function planFaults(world: World, faults: Faults, { faults: count, storm }: Scenario): void {
  const { scheduler, random } = world;
  const countdowns: { left: number; isForChanges: boolean }[] = [];
  world.onSending = (isChange) => {
    for (const countdown of countdowns) {
      if (countdown.isForChanges && !isChange) continue;
      // What is being sent is on its way before the fault happens.
      if (--countdown.left === 0) scheduler.after(random.between(0, 3), () => faults.inject());
    }
  };
  for (let index = 0; index < count; index++) {
    const trigger = random.pick(["time", "call", "change", "change"] as const);
    const left = random.between(1, 25);
    scheduler.after(random.between(1_000, storm), () => {
      if (trigger === "time") faults.inject();
      else countdowns.push({ left, isForChanges: trigger === "change" });
    });
  }
}

/** What people have asked for, and is yet to come, takes an instance out of a cluster. */
function isAsked({ api }: World): boolean {
  return api.objects.pods.some((pod) => pod?.demote || pod?.reclone);
}

/** The operator reaches it, its replicas don't: another one has to take its place. */
function isolatePrimary(world: World, clients: readonly Client[], end: { isReached: boolean }): void {
  const { api, invariants, machines, network, scheduler, story } = world;
  const primary = machines.processes.find(({ disk }) => disk.uuid === api.memory?.primary)!;
  const peers = machines.processes.filter((each) => each !== primary);
  network.cut(
    peers.flatMap(({ address }) => [[primary.address, address] as const, [address, primary.address] as const]),
  );
  world.disturbed();
  story.tell("world", `${primary.name} is cut from its peers for good`);
  const since = scheduler.now;
  const judge = (): void => {
    // What was on its way when it happened does not count.
    end.isReached = clients.every(({ lastSuccess }) => lastSuccess > since + 15_000);
    if (scheduler.now - since < successionLimit) return void scheduler.after(250, judge);
    invariants.fail("liveness", "writers wait for a primary that its replicas can't reach");
  };
  judge();
}

/** Not only by the operator's word. */
function isWell(
  { api, machines, replication }: World,
  { leader }: Leadership,
  clients: readonly Client[],
  since: number,
): boolean {
  const { record, replicas, pods } = api.objects;
  const { processes } = machines;
  const { memory } = record;
  if (leader?.state !== "Healthy" || memory?.acknowledgements !== Math.floor(replicas / 2)) return false;
  const isAccountedFor = (uuid: string): boolean =>
    machines.lostUuids.has(uuid) || processes.some(({ disk }) => disk.uuid === uuid);
  if (!memory.voters.every(isAccountedFor)) return false;
  const primary = processes.find(({ disk }) => disk.uuid === record.memory?.primary);
  if (primary === undefined || processes.length !== replicas) return false;
  if (processes.some(({ disk, enforced }) => !enforced || isErrant(disk, primary.disk))) return false;
  if (replication.receivers(primary).length !== replicas - 1) return false;
  const isLabelled = pods.every((pod, ordinal) => pod?.role === (ordinal === primary.ordinal ? "primary" : "replica"));
  return isLabelled && clients.every(({ lastSuccess }) => lastSuccess > since);
}

function needsPerson(world: World): boolean {
  return isStalemate(world) || isAllGone(world);
}

/** The cluster had data, if none that anybody was told of, and nobody who is left has any: it is not opened again. */
function isAllGone({ api, invariants, machines }: World): boolean {
  if (!api.memory?.written || invariants.acknowledged.size > 0) return false;
  return machines.processes.every(({ disk }) => isNothing(disk.received));
}

/**
 * So many have transactions of their own that no failover would find enough others, or what one of them has to itself may
 * have been acknowledged by a primary whose data is gone: a person has to say which transactions count.
 */
function isStalemate({ api, machines }: World): boolean {
  const { memory } = api;
  const primary = machines.allDisks.find(({ uuid }) => uuid === memory?.primary);
  if (memory === undefined || primary === undefined) return false;
  const others = machines.processes.filter(({ disk }) => disk !== primary);
  const errant = others.filter(({ disk }) => isErrant(disk, primary));
  if (primary.lost) return errant.some(({ disk }) => memory.voters.includes(disk.uuid));
  return errant.length > 0 && others.length - errant.length < memory.acknowledgements;
}

/** Every promise that can be settled without time passing has been. */
function drained(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
