import type { Memory } from "../snapshot.ts";
import type { Disk } from "./disk.ts";
import type { Mysqld } from "./mysqld.ts";
import * as rules from "./rules.ts";

interface Surroundings {
  readonly now: () => number;
  readonly memory: () => Memory | undefined;
  readonly disks: () => readonly Disk[];
  readonly processes: () => readonly Mysqld[];
  readonly receivers: (source: Mysqld) => readonly rules.Receiver[];
  /** Ordinals that are listed as errant in the status. */
  readonly errant: () => readonly number[];
}

/** Holds the rules against everything that happens. The first that is broken ends the simulation. */
export class Invariants {
  readonly #world: Surroundings;
  /** Rows that clients were told are committed, and when. */
  readonly #acknowledgedAt = new Map<number, number>();
  #violation: string | undefined;

  constructor(world: Surroundings) {
    this.#world = world;
  }

  get acknowledged(): ReadonlyMap<number, number> {
    return this.#acknowledgedAt;
  }

  get violation(): string | undefined {
    return this.#violation;
  }

  fail(rule: string, wrong: rules.Wrong): void {
    if (wrong !== undefined) this.#violation ??= `rule ${rule}: ${wrong}`;
  }

  /** After every event. */
  check(): void {
    if (this.#world.memory() === undefined) return;
    const truth = this.truth();
    this.fail("2", rules.onlyPrimaryAcknowledges(truth));
    this.fail("5", rules.votersAreRecorded(truth));
    this.fail("5", rules.waitsAsRecorded(truth));
  }

  /** A client is told that its row is committed. */
  acknowledging({ disk }: Mysqld, row: number): void {
    this.#acknowledgedAt.set(row, this.#world.now());
    const truth = this.truth();
    this.fail("3", rules.survivesFailover(truth, row));
    const { memory } = truth;
    if (memory === undefined || memory.primary === disk.uuid) return;
    const primary = truth.disks.find(({ uuid }) => uuid === memory.primary);
    if (!primary?.holds(row)) this.fail("2", `row ${row} is acknowledged by ${disk.uuid.slice(-4)}, deposed`);
  }

  opening(mysqld: Mysqld): void {
    // It is shutting down: whoever was there is cut off, and nobody can come any more.
    if (mysqld.refusing) return;
    const truth = this.truth();
    // A statement that was sent long ago may arrive late; then it is up to the fence that nothing comes of it.
    if (truth.memory && truth.memory.primary !== mysqld.disk.uuid) return;
    this.fail("8", rules.isNotEmpty(truth, mysqld));
    this.fail("6", rules.hasEverything(truth, mysqld.disk));
    this.fail("6", rules.isHeldByVoters(truth, mysqld, this.#world.now()));
    this.fail("6", rules.numbersAreFree(truth, mysqld));
  }

  recording(before: Memory | undefined, memory: Memory, asked: number): void {
    const truth = { ...this.truth(), memory };
    if (before?.primary !== memory.primary) this.fail("3", rules.isNotBehind(truth, memory.primary));
    for (const row of this.acknowledged.keys()) this.fail("5", rules.survivesFailover(truth, row));
    const newcomers = memory.voters.filter(
      (uuid) => before && !before.voters.includes(uuid) && uuid !== memory.primary,
    );
    for (const uuid of newcomers) this.fail("5", rules.hasCaughtUp(truth, uuid, asked));
  }

  /** The primary is to be replaced, as what the operator sees of these servers seems to ask for. */
  failingOver(known: readonly string[]): void {
    this.fail("9", rules.isNotHeard(this.truth(), known));
  }

  startingReceiver(mysqld: Mysqld): void {
    this.fail("7", rules.isSound(this.truth(), mysqld, this.#world.errant()));
  }

  droppingRelay({ disk }: Mysqld): void {
    this.fail("4", rules.relayIsNeedless(this.truth(), disk));
  }

  /** Data has become less: by a disk that is gone, by a power loss, or by being made empty. */
  lessened(): void {
    const truth = this.truth();
    for (const row of this.acknowledged.keys()) this.fail("3", rules.survivesFailover(truth, row));
  }

  truth(): rules.Truth {
    const { memory, disks, processes, receivers } = this.#world;
    return { memory: memory(), disks: disks(), processes: processes(), acknowledged: this.acknowledged, receivers };
  }
}
