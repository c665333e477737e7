/** The whole model: one cluster with its machines, network, API server and time. */
import { ApiServer } from "./api-server.ts";
import type { GtidSets } from "./gtids.ts";
import { Invariants } from "./invariants.ts";
import { Machines } from "./machines.ts";
import type { PodVersion, Watcher } from "./mysqld.ts";
import { Network } from "./network.ts";
import type { OperatorProcess } from "./operator-process.ts";
import { Random } from "./random.ts";
import { Replication } from "./replication.ts";
import { Scheduler } from "./scheduler.ts";
import { Story } from "./story.ts";

export interface WorldOptions {
  readonly seed: number;
  readonly replicas: number;
  readonly version: PodVersion;
  readonly gtids: GtidSets;
  readonly isTold: boolean;
}

export class World {
  readonly random: Random;
  readonly scheduler = new Scheduler();
  readonly story: Story;
  readonly network: Network;
  readonly gtids: GtidSets;
  readonly api: ApiServer;
  readonly replication: Replication;
  readonly machines: Machines;
  readonly invariants: Invariants;
  /** Milliseconds by which caches are behind, at most. */
  watchDelay = 60;
  /** Watches tell nothing for now. */
  watchIsStuck = false;
  requestFailures = 0;
  writesHang = false;
  /** Called whenever an operator is about to send something. */
  onSending: (isChange: boolean) => void = () => undefined;
  /** Called when a process or the network has changed. */
  onDisturbed: () => void = () => undefined;
  leads: (operator: OperatorProcess) => boolean = () => true;
  #isSettled = false;
  #waiting: (() => void)[] = [];
  #held: (() => void)[] = [];
  readonly #toldUntil = new WeakMap<OperatorProcess, number>();
  #rows = 0;

  constructor({ seed, replicas, version, gtids, isTold }: WorldOptions) {
    this.random = new Random(seed);
    this.story = new Story(() => this.scheduler.now, isTold);
    this.network = new Network(this.random);
    this.gtids = gtids;
    this.api = new ApiServer(replicas);
    this.replication = new Replication({ ...this.#parts(), resolve: (ordinal) => this.machines.of(ordinal) });
    const watcher: Watcher = {
      now: () => this.scheduler.now,
      written: (mysqld) => this.replication.send(mysqld),
      released: (mysqld) => this.replication.apply(mysqld),
      disconnectReplicas: (mysqld) => this.replication.disconnectReplicas(mysqld),
    };
    this.machines = new Machines({
      ...this.#parts(),
      api: this.api,
      replication: this.replication,
      watcher,
      version,
      disturbed: () => this.disturbed(),
    });
    this.invariants = new Invariants({
      now: () => this.scheduler.now,
      memory: () => this.api.memory,
      disks: () => this.machines.allDisks,
      processes: () => this.machines.processes,
      receivers: (source) => this.replication.receivers(source),
      errant: () => this.api.objects.errant,
    });
    this.api.onRecord = (before, { memory }, asked) => {
      this.story.tell("record", () => JSON.stringify(memory).replaceAll(/00000000-0000-4000-8000-0*/g, "#"));
      if (memory) this.invariants.recording(before.memory, memory, asked);
    };
  }

  #parts() {
    const { scheduler, random, network, story } = this;
    return { scheduler, random, network, story };
  }

  nextRow(): number {
    return ++this.#rows;
  }

  /** A promise of the code under test has been settled: it has to run before anything else happens. */
  settled(): void {
    this.#isSettled = true;
  }

  takeSettled(): boolean {
    const isSettled = this.#isSettled;
    this.#isSettled = false;
    return isSettled;
  }

  sending(isChange: boolean): void {
    this.onSending(isChange);
  }

  onDisturbance(callback: () => void): void {
    this.#waiting.push(callback);
  }

  /** The network or a process is not as it was. */
  disturbed(): void {
    this.replication.recheck();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const callback of waiting) callback();
    this.onDisturbed();
  }

  /** After as long as a watch takes to tell this operator, and in the order of what happened. */
  whenTold(operator: OperatorProcess, callback: () => void): void {
    const { scheduler, random } = this;
    const due = Math.max(scheduler.now + random.between(1, this.watchDelay), this.#toldUntil.get(operator) ?? 0);
    this.#toldUntil.set(operator, due);
    scheduler.after(due - scheduler.now, () => {
      if (this.watchIsStuck || this.#held.length > 0) this.#held.push(callback);
      else callback();
    });
  }

  releaseWatches(): void {
    this.watchIsStuck = false;
    const held = this.#held;
    this.#held = [];
    for (const callback of held) callback();
  }
}
