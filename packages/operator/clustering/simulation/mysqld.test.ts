/** The model does what was measured on real mysqld: the table of events that end the wait for an acknowledgement. */
import { describe, expect, it } from "vitest";
import { GtidSets } from "./gtids.ts";
import type { Mysqld, Session } from "./mysqld.ts";
import { begin } from "./scenario.ts";
import { World } from "./world.ts";

/** A cluster of three in which commits wait for one acknowledgement. */
function cluster(): { world: World; primary: Mysqld; replicas: Mysqld[]; pass: (milliseconds: number) => void } {
  const world = new World({ seed: 1, replicas: 3, version: 1, gtids: new GtidSets(), isTold: false });
  begin(world, { replicas: 3, start: "running" });
  const pass = (milliseconds: number): void => {
    const end = world.scheduler.now + milliseconds;
    world.scheduler.after(milliseconds, () => undefined);
    while (world.scheduler.now < end && world.scheduler.step());
  };
  pass(100);
  const [primary, ...replicas] = world.machines.processes;
  return { world, primary: primary!, replicas, pass };
}

function write(mysqld: Mysqld, row: number): { session: Session; answers: string[] } {
  const answers: string[] = [];
  const session: Session = {
    name: "client",
    privileged: false,
    killed: false,
    answer: (outcome) => void answers.push(outcome),
  };
  mysqld.sessions.add(session);
  mysqld.write(session, row);
  return { session, answers };
}

/** A cluster whose primary waits for an acknowledgement that can't come. */
function waiting() {
  const { world, ...rest } = cluster();
  for (const replica of rest.replicas) world.replication.stopReceiver(replica);
  const { answers, session } = write(rest.primary, 1);
  rest.pass(1_000);
  expect(answers).toEqual([]);
  return { world, answers, session, ...rest };
}

describe("a client whose commit waits for an acknowledgement", () => {
  it("is told of it once a replica has it", () => {
    const { primary, replicas, pass } = cluster();
    const { answers } = write(primary, 1);
    pass(100);
    expect(answers).toEqual(["ok"]);
    expect(replicas.some(({ disk }) => disk.holds(1))).toBe(true);
  });

  it("is told of it rightly although the replica has left meanwhile", () => {
    const { world, primary, replicas, pass } = cluster();
    const { answers } = write(primary, 1);
    while (!replicas[0]!.disk.holds(1) && !replicas[1]!.disk.holds(1)) world.scheduler.step();
    for (const replica of replicas) world.replication.stopReceiver(replica);
    pass(100);
    expect(answers).toEqual(["ok"]);
  });

  it.each<[string, (primary: Mysqld) => void]>([
    ["SIGTERM", (primary) => primary.shutDown()],
    ["semi-sync off", (primary) => primary.requireAcknowledgements(0)],
  ])("is wrongly told of it by %s", (_event, happen) => {
    const { primary, answers } = waiting();
    happen(primary);
    expect(answers).toEqual(["ok"]);
  });

  it.each<[string, (primary: Mysqld) => void]>([
    ["KILL", (primary) => primary.killClients()],
    ["offline_mode", (primary) => primary.enterOfflineMode()],
  ])("gets an error by %s, and its thread waits on", (_event, happen) => {
    const { primary, answers } = waiting();
    happen(primary);
    expect(answers).toEqual(["failed"]);
    expect([primary.waiting, primary.waitingClients]).toEqual([1, 0]);
  });

  it("gets an error by SIGKILL, and its row is there afterwards", () => {
    const { world, primary, answers, pass } = waiting();
    world.machines.kill(primary, 500);
    expect(answers).toEqual(["failed"]);
    pass(1_000);
    const restarted = world.machines.of(0)!;
    expect(restarted.disk.executedRows().has(1)).toBe(true);
    expect([restarted.superReadOnly, restarted.acknowledgements]).toEqual([true, 0]);
  });

  it("is not told of what a replica received without being asked to acknowledge, until another commit", () => {
    const { world, primary, replicas, answers, pass } = waiting();
    const [replica] = replicas;
    replica!.acknowledges = false;
    world.replication.startReceiver(replica!);
    pass(100);
    world.replication.stopReceiver(replica!);
    replica!.acknowledges = true;
    world.replication.startReceiver(replica!);
    pass(1_000);
    expect(replica!.disk.holds(1)).toBe(true);
    expect(answers).toEqual([]);
    write(primary, 2);
    pass(100);
    expect(answers).toEqual(["ok"]);
  });
});

describe("a server that is made read-only behind a commit that waits", () => {
  it("only looks so, holds up new writers, and is so once the commit has ended", () => {
    const { world, primary, replicas, pass } = waiting();
    primary.becomeReadOnly();
    expect([primary.superReadOnly, primary.readOnly]).toEqual([true, false]);
    const late = write(primary, 2);
    expect(late.answers).toEqual([]);
    world.replication.startReceiver(replicas[0]!);
    pass(100);
    expect([primary.superReadOnly, primary.readOnly]).toEqual([true, true]);
    expect(late.answers).toEqual(["failed"]);
  });
});

describe("a replica", () => {
  it("loses by a power loss what it acknowledged, unless it flushes its relay log", () => {
    const { world, primary, replicas, pass } = cluster();
    const [careless, careful] = replicas;
    careful!.enforced = true;
    for (const replica of replicas) replica.applyDelay = 10_000;
    write(primary, 1);
    pass(100);
    for (const replica of replicas) world.machines.losePower(replica);
    expect([careless!.disk.holds(1), careful!.disk.holds(1)]).toEqual([false, true]);
  });

  it("is refused by a source that has purged what it lacks", () => {
    const { world, primary, replicas, pass } = cluster();
    const [replica] = replicas;
    world.replication.stopReceiver(replica!);
    write(primary, 1);
    pass(100);
    primary.disk.purged = [...primary.disk.executed];
    world.replication.startReceiver(replica!);
    pass(100);
    expect([replica!.receiver, replica!.receiveError]).toEqual(["no", "the source has purged what the replica needs"]);
  });
});
