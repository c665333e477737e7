import { Operator, type Subject } from "./operator.ts";
import type { World } from "./world.ts";

/** Milliseconds after its last renewal at which an operator stops by itself, and others may take over. */
const renewDeadline = 10_000;
const leaseDuration = 15_000;

/** Operators, of which one leads: it may crash, freeze, or lose its lease. */
export class Leadership {
  readonly #world: World;
  readonly #subject: Subject;
  #leader: Operator | undefined;
  #count = 0;

  constructor(world: World, subject: Subject) {
    this.#world = world;
    this.#subject = subject;
    world.leads = (process) => this.#leader?.process === process;
    world.onDisturbed = () => this.#notice();
    this.#start();
  }

  get leader(): Operator | undefined {
    return this.#leader;
  }

  /** Names under which operators are in the network, those to come included. */
  get names(): string[] {
    return [`operator-${this.#count}`, `operator-${this.#count + 1}`];
  }

  crash(): void {
    const { scheduler, random, story } = this.#world;
    if (this.#leader === undefined) return;
    story.tell(this.#leader.process.name, "crashes");
    this.#leader.end();
    this.#leader = undefined;
    // A process that restarts at once finds its own lease; another one has to wait for its end.
    scheduler.after(random.chance(0.5) ? random.between(300, 2000) : random.between(5000, leaseDuration), () =>
      this.#start(),
    );
  }

  /** It learns that it does not lead any more, and is ended soon after. */
  loseLease(): void {
    const { scheduler, random, story } = this.#world;
    const old = this.#leader;
    if (old === undefined || old.process.frozen) return;
    story.tell(old.process.name, "loses its lease");
    this.#leader = undefined;
    old.process.abort("the lease is lost");
    scheduler.after(random.between(0, 50), () => old.end());
    scheduler.after(random.between(500, 5000), () => this.#start());
  }

  /** It wakes up as if nothing had happened. Another one leads by then, if that took too long. */
  freeze(milliseconds: number): void {
    const { scheduler, random, story } = this.#world;
    const old = this.#leader;
    if (old === undefined || old.process.frozen) return;
    story.tell(old.process.name, `freezes for ${milliseconds} ms`);
    old.process.freeze();
    const sinceRenewal = random.between(0, 2000);
    const isTooLong = milliseconds + sinceRenewal > renewDeadline;
    if (isTooLong) {
      scheduler.after(leaseDuration - sinceRenewal, () => {
        if (this.#leader !== old && this.#leader !== undefined) return;
        this.#leader = undefined;
        this.#start();
      });
    }
    scheduler.after(milliseconds, () => {
      story.tell(old.process.name, "wakes up");
      old.process.thaw();
      if (!isTooLong) return;
      if (this.#leader === old) this.#leader = undefined;
      // What it could send before its timers told it to end is sent.
      scheduler.after(0, () => old.end());
    });
  }

  #start(): void {
    if (this.#leader !== undefined) return;
    this.#leader = new Operator(this.#world, `operator-${++this.#count}`, this.#subject);
  }

  /** Heartbeats tell of what no watch tells of. */
  #notice(): void {
    const { scheduler, random } = this.#world;
    scheduler.after(random.between(50, 1500), () => this.#leader?.wake());
  }
}
