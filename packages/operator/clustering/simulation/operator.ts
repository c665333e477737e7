/** An operator: looks, decides and acts in a loop, as the controller does, by the code under test. */
import { describeError } from "@moco-ts/base";
import type { Pod } from "@moco-ts/kube";
import type { Instance } from "@moco-ts/mysql";
import type { Problem } from "../act/act.ts";
import { observe } from "../observe.ts";
import { occupy } from "../occupy.ts";
import { isActive, isAwaited, isUrgent, type Plan } from "../plan.ts";
import type { Record, Surroundings } from "../ports.ts";
import type { Snapshot } from "../snapshot.ts";
import { Trace } from "../trace.ts";
import type { Objects, PodObject } from "./api-server.ts";
import { clone } from "./clones.ts";
import { SimulatedInstance } from "./instance.ts";
import { hostOf, toCluster, toPod, updateRevision } from "./objects.ts";
import { OperatorProcess } from "./operator-process.ts";
import { Requests } from "./requests.ts";
import { Wire } from "./wire.ts";
import type { World } from "./world.ts";

/** In what a plan is carried out. */
export interface Context {
  readonly plan: Plan;
  readonly operator: Operator;
  readonly world: World;
}

/** What is put to the test. */
export interface Subject {
  decide(snapshot: Snapshot): Plan;
  act(plan: Plan, snapshot: Snapshot, surroundings: Surroundings, signal: AbortSignal): Promise<readonly Problem[]>;
  /** Planted bugs come between the code under test and its surroundings. */
  wrap?(surroundings: Surroundings, context: Context): Surroundings;
}

/** Milliseconds between regular checks. */
const checkInterval = 10_000;

export class Operator {
  readonly process: OperatorProcess;
  readonly #world: World;
  readonly #subject: Subject;
  readonly #wire: Wire;
  readonly #requests: Requests;
  readonly #trace: Trace;
  readonly #unwatch: () => void;
  #cache: Objects;
  /** The record as this process wrote it last: its cache may be behind. */
  #latest: Record | undefined;
  #lastPlan = "";
  #repeats = 0;
  #wake: (() => void) | undefined;
  #isWoken = false;
  state: Plan["state"] | undefined;

  constructor(world: World, name: string, subject: Subject) {
    const { scheduler, story, api } = world;
    this.#world = world;
    this.#subject = subject;
    this.process = new OperatorProcess(name, scheduler, story, () => world.settled());
    this.#wire = new Wire(world, this.process);
    this.#requests = new Requests(world, this.process);
    this.#trace = new Trace(this.process.clock);
    this.#cache = api.objects;
    this.#unwatch = api.watch((objects) => this.#follow(objects));
    story.tell(name, "starts");
    void this.#run();
    world.settled();
  }

  /** What it believes the objects to be. */
  get cache(): Objects {
    return this.#cache;
  }

  /** Something seems to have changed. */
  wake(): void {
    this.process.deliver(() => {
      this.#isWoken = true;
      this.#wake?.();
    });
  }

  end(): void {
    this.#unwatch();
    this.process.end();
  }

  /** Watches tell late, but in order. */
  #follow(objects: Objects): void {
    const told = (): void => {
      for (const [ordinal, pod] of this.#cache.pods.entries()) {
        const isGone = pod !== undefined && objects.pods[ordinal]?.uid !== pod.uid;
        if (isGone) this.#trace.deaths.note(podOf(pod, ordinal), this.process.clock.now());
      }
      this.#cache = objects;
      this.wake();
    };
    this.#world.whenTold(this.process, () => this.process.deliver(told));
  }

  async #run(): Promise<void> {
    while (this.process.alive && !this.process.signal.aborted) {
      this.#isWoken = false;
      const pause = await this.#round().catch((error: unknown) => {
        this.process.log.info("the round failed", { problem: describeError(error) });
        return error instanceof Error && /stale|conflict/i.test(`${error.message} ${codeOf(error)}`) ? 20 : 1_000;
      });
      await this.#sleep(pause);
    }
  }

  /** Milliseconds until the next. */
  async #round(): Promise<number> {
    const { process } = this;
    const { signal } = process;
    const snapshot = await this.#observe();
    const plan = this.#subject.decide(snapshot);
    this.#tellPlan(plan);
    this.state = plan.state;
    if (plan.steps.some(({ kind }) => kind === "failover")) this.#world.invariants.failingOver(answering(snapshot));
    this.#trace.suspects = new Set(plan.suspects);
    const writeStatus = async (): Promise<void> => {
      if (plan.errant.join() !== snapshot.errantBefore.join()) await this.#requests.writeErrant(plan.errant, signal);
    };
    // What writers wait for goes before what is written about it.
    const hurries = isUrgent(plan) && this.#repeats === 0;
    if (!hurries) await writeStatus();
    const surroundings = this.#surroundings(snapshot);
    const context = { plan, operator: this, world: this.#world };
    const wrapped = this.#subject.wrap?.(surroundings, context) ?? surroundings;
    const problems = await this.#subject.act(plan, snapshot, wrapped, signal);
    if (hurries) await writeStatus();
    if (problems.some(({ step }) => step === "switchover")) this.#trace.switchoverFailed();
    this.#trace.hurries = isAwaited(plan) && this.#repeats === 0;
    if (isActive(plan)) return this.#repeats === 0 ? 0 : Math.min(50 * 2 ** this.#repeats, 5_000);
    return plan.again ?? checkInterval;
  }

  #observe(): Promise<Snapshot> {
    const objects = { ...this.#cache, record: this.#record() };
    const pods = objects.pods.flatMap((pod, ordinal) => (pod ? [podOf(pod, ordinal)] : []));
    return observe(
      {
        cluster: toCluster(objects),
        pods,
        updateRevision,
        trace: this.#trace,
        clock: this.process.clock,
        instanceOf: (pod) => this.#instanceOf(pod),
        instanceAt: (address) => this.#instanceAt(address),
      },
      this.process.signal,
    );
  }

  #record(): Record {
    const { record } = this.#cache;
    const latest = this.#latest;
    return latest && Number(latest.version) > Number(record.version) ? latest : record;
  }

  #tellPlan(plan: Plan): void {
    const { state, reason, steps, perInstance, labels } = plan;
    const text = JSON.stringify({ state, reason, steps, perInstance });
    this.#repeats = text === this.#lastPlan ? this.#repeats + 1 : 0;
    this.#lastPlan = text;
    const names = [
      ...steps.map((step) => JSON.stringify(step)),
      ...perInstance.map((each) => `${each.ordinal}: ${each.steps.map((step) => JSON.stringify(step)).join(", ")}`),
      ...labels.map((step) => JSON.stringify(step)),
    ];
    if (this.#repeats === 0) this.#world.story.tell(this.process.name, () => `${state}: ${reason}; ${names.join(" ")}`);
  }

  #instanceOf({ status }: Pod): Instance | undefined {
    return status?.podIP ? this.#instanceAt(status.podIP) : undefined;
  }

  #instanceAt(address: string): Instance {
    const { scheduler, replication, gtids, invariants } = this.#world;
    const parts = { scheduler, operator: this.process, wire: this.#wire, replication, gtids, invariants };
    return new SimulatedInstance(parts, address);
  }

  #surroundings(snapshot: Snapshot): Surroundings {
    const { process } = this;
    const requests = this.#requests;
    const { memory, primaryIndex } = snapshot;
    const uidOf = (ordinal: number): string | undefined => snapshot.instances[ordinal]?.pod?.uid;
    return {
      clock: process.clock,
      log: process.log,
      instance: (ordinal) => {
        const view = snapshot.instances[ordinal];
        const isLeft = ordinal === primaryIndex && view?.pod === undefined && view?.state !== undefined;
        if (isLeft && memory) return this.#instanceAt(memory.primaryAddress);
        const address = this.#cache.pods[ordinal]?.address;
        return address === undefined ? undefined : this.#instanceAt(address);
      },
      instanceAt: (address) => this.#instanceAt(address),
      sourceFor: (ordinal) => ({ host: hostOf(ordinal), port: 3306, user: "moco-repl", password: "" }),
      externalSource: () => Promise.reject(new Error("there is none")),
      settling: this.#trace.settling,
      readRecord: (signal) => requests.readRecord(signal),
      writeRecord: async (version, change, signal) => {
        this.#latest = await requests.writeRecord(version, change, signal);
        return this.#latest;
      },
      label: (ordinal, role, signal) => requests.changePod(ordinal, uidOf(ordinal), { role }, signal),
      preventDelete: (ordinal, preventDelete, signal) =>
        requests.changePod(ordinal, uidOf(ordinal), { preventDelete }, signal),
      forgetRequests: (ordinal, signal) =>
        requests.changePod(ordinal, uidOf(ordinal), { demote: false, demoteTo: undefined, reclone: false }, signal),
      forgetEnded: (signal) => requests.declareEnded([], signal),
      startEmptying: (ordinal, empty) => {
        const occupation = { occupied: this.#trace.cloning, clock: process.clock, wake: () => this.wake() };
        occupy(ordinal, occupation, empty, (error) =>
          process.log.info("not emptied", { problem: describeError(error) }),
        );
      },
      startClone: (ordinal, donor) => this.#startClone(snapshot, ordinal, donor),
      startCloneFromSource: () => undefined,
      tell: ({ reason, message }) => this.#world.story.tell(process.name, () => `Event ${reason}: ${message}`),
      count: () => undefined,
    };
  }

  #startClone({ instances }: Snapshot, ordinal: number, donor: number): void {
    const { cloning } = this.#trace;
    const to = instances[ordinal]?.pod?.address;
    const from = instances[donor]?.pod?.address;
    if (cloning.has(ordinal) || to === undefined || from === undefined) return;
    cloning.add(ordinal);
    const { scheduler, network } = this.#world;
    const ended = (problem: string | undefined): void => {
      const forget = (): void => {
        cloning.delete(ordinal);
        this.wake();
      };
      this.process.clock.schedule(problem === undefined ? 1 : 5_000, forget);
    };
    scheduler.after(network.delay(), () => {
      if (network.passes(this.process.name, to)) clone(this.#world, from, to, ended);
      else ended("the agent does not answer");
    });
  }

  #sleep(milliseconds: number): Promise<void> {
    if (this.#isWoken) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.process.clock.schedule(milliseconds, () => this.#wake?.());
      this.#wake = () => {
        cancel();
        this.#wake = undefined;
        resolve();
      };
    });
  }
}

/** server_uuids of those replicas that answered; none if another Pod has the primary's place, where clients look for it. */
function answering({ instances, primaryIndex, memory }: Snapshot): string[] {
  const { state, pod } = instances[primaryIndex] ?? {};
  if (state !== undefined || pod?.address !== memory?.primaryAddress) return [];
  return instances.flatMap(({ state }) => (state ? [state.uuid] : []));
}

function podOf(pod: PodObject, ordinal: number): Pod {
  return toPod(pod, ordinal);
}

function codeOf(error: Error): string {
  return "code" in error ? String(error.code) : "";
}
