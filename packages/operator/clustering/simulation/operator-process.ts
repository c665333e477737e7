import { silentLogger, type Clock, type LogFields, type Logger } from "@moco-ts/base";
import { epoch } from "./objects.ts";
import type { Scheduler } from "./scheduler.ts";
import type { Story } from "./story.ts";

/** An operator's process, which may be frozen and killed. Whatever reaches it goes through `deliver`. */
export class OperatorProcess {
  readonly name: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #delivered: () => void;
  #mailbox: (() => void)[] | undefined;
  alive = true;

  /** `delivered` is called after each delivery: promises have been settled. */
  constructor(name: string, scheduler: Scheduler, story: Story, delivered: () => void) {
    this.name = name;
    this.#delivered = delivered;
    this.signal = this.#controller.signal;
    this.clock = {
      now: () => epoch + scheduler.now,
      monotonic: () => scheduler.now,
      schedule: (milliseconds, callback) => scheduler.after(milliseconds, () => this.deliver(callback)),
    };
    this.log = story.isTold ? storyLogger(name, story) : silentLogger;
  }

  get frozen(): boolean {
    return this.#mailbox !== undefined;
  }

  deliver(callback: () => void): void {
    if (!this.alive) return;
    if (this.#mailbox) return void this.#mailbox.push(callback);
    callback();
    this.#delivered();
  }

  freeze(): void {
    this.#mailbox ??= [];
  }

  /** Everything that came meanwhile is delivered at once. */
  thaw(): void {
    const mailbox = this.#mailbox ?? [];
    this.#mailbox = undefined;
    for (const callback of mailbox) this.deliver(callback);
  }

  /** The lease is lost, or the process is asked to end: what it does is to be stopped. */
  abort(reason: string): void {
    if (this.alive) this.deliver(() => this.#controller.abort(new Error(reason)));
  }

  /** SIGKILL: it never runs again. What it has sent goes on. */
  end(): void {
    this.alive = false;
    this.#mailbox = undefined;
  }
}

function storyLogger(name: string, story: Story): Logger {
  const write = (message: string, fields?: LogFields): void =>
    story.tell(name, `${message}${fields ? ` ${JSON.stringify(fields)}` : ""}`);
  return { debug: write, info: write, warn: write, error: write, with: () => storyLogger(name, story) };
}
