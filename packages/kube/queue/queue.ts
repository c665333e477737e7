import { backoffDelay, Metrics, systemClock, type BackoffOptions, type Clock } from "@moco-ts/base";
import type { Key } from "../types/object.ts";
import { Delays } from "./delays.ts";
import { Fifo, Lanes, moreUrgent, type Priority, type Ticket } from "./lanes.ts";
import { createQueueMetrics, type QueueMetrics } from "./metrics.ts";

/**
 * queue: what is to be looked at next. It holds keys, never objects: whoever works on a key reads its newest state.
 *
 * - A key waits at most once, however often it is added.
 * - A key is worked on by one worker at a time; added meanwhile, it runs once more afterwards.
 * - No add is forgotten: after it, the key starts (or starts again) unless the queue is shut down.
 * - Within a priority, first come, first served; a less urgent key waits longer, but not for ever.
 */
export interface QueueOptions {
  /** The labels `name` and `controller` of the workqueue_* metrics. */
  readonly name: string;
  /** How long a failing key waits. Default 10 ms doubled up to a minute, of which a fifth is random. */
  readonly backoff?: BackoffOptions;
  readonly clock?: Clock;
  readonly metrics?: Metrics;
  /** Numbers in [0, 1) for the backoff's jitter. Default Math.random. */
  readonly random?: () => number;
}

export const defaultBackoff: BackoffOptions = { initial: 10, maximum: 60_000, jitter: 0.2 };

interface Run {
  readonly startedAt: number;
  /** Added while it runs. */
  again: Ticket | undefined;
}

export class Queue {
  readonly #clock: Clock;
  readonly #backoff: BackoffOptions;
  readonly #random: () => number;
  readonly #lanes = new Lanes();
  readonly #delays: Delays;
  readonly #running = new Map<Key, Run>();
  readonly #failures = new Map<Key, number>();
  readonly #workers = new Fifo<(key: Key | undefined) => void>();
  readonly #metrics: QueueMetrics;
  readonly #drained = Promise.withResolvers<void>();
  #open = true;

  constructor(options: QueueOptions) {
    this.#clock = options.clock ?? systemClock;
    this.#backoff = options.backoff ?? defaultBackoff;
    this.#random = options.random ?? Math.random;
    this.#delays = new Delays(this.#clock, (key, priority) => this.add(key, priority));
    this.#metrics = createQueueMetrics(options.metrics ?? new Metrics(), options.name, () => this.#runningSeconds());
  }

  /** Keys that wait for a worker now, those that run again included. */
  get depth(): number {
    let again = 0;
    for (const run of this.#running.values()) if (run.again) again++;
    return this.#lanes.size + again;
  }

  /** Keys that are to be added later. */
  get delayed(): number {
    return this.#delays.size;
  }

  add(key: Key, priority: Priority = "normal"): void {
    if (!this.#open) return;
    const run = this.#running.get(key);
    const present = run ? run.again : this.#lanes.find(key);
    const ticket: Ticket = present
      ? { ...present, priority: moreUrgent(present.priority, priority) }
      : { key, priority, since: this.#clock.monotonic() };
    if (present) this.#metrics.depth(present.priority, -1);
    else this.#metrics.added();
    this.#metrics.depth(ticket.priority, 1);
    if (run) run.again = ticket;
    else this.#lanes.add(ticket);
    this.#dispatch();
  }

  /** Adds the key after a while. If that is asked for several times, the earliest holds; a plain add leaves it in place. */
  addAfter(key: Key, milliseconds: number, priority: Priority = "normal"): void {
    if (!this.#open) return;
    this.#metrics.retried();
    if (milliseconds <= 0) this.add(key, priority);
    else this.#delays.add(key, milliseconds, priority);
  }

  /** Adds a key that failed once more after its backoff, but not before `atLeast`. Returns the wait in milliseconds. */
  addBackedOff(key: Key, atLeast = 0, priority: Priority = "normal"): number {
    const failures = this.failures(key) + 1;
    this.#failures.set(key, failures);
    const wait = Math.max(backoffDelay(this.#backoff, failures, this.#random), atLeast);
    this.addAfter(key, wait, priority);
    return wait;
  }

  /** Failures in a row. */
  failures(key: Key): number {
    return this.#failures.get(key) ?? 0;
  }

  /** The key is well again: its next failure waits as briefly as a first one. */
  forget(key: Key): void {
    this.#failures.delete(key);
  }

  /**
   * The next key to work on, as soon as there is one; `done` must follow. Undefined once the queue is shut down and
   * drained: that is how the wait is ended.
   */
  next(): Promise<Key | undefined> {
    const { promise, resolve } = Promise.withResolvers<Key | undefined>();
    this.#workers.push(resolve);
    this.#dispatch();
    return promise;
  }

  done(key: Key): void {
    const run = this.#running.get(key);
    if (!run) return;
    this.#running.delete(key);
    this.#metrics.worked((this.#clock.monotonic() - run.startedAt) / 1000);
    if (run.again) this.#lanes.add(run.again);
    this.#dispatch();
  }

  /**
   * Takes no more keys and forgets the delayed ones; those that wait are still handed out. Resolves when all are done.
   */
  shutDown(): Promise<void> {
    this.#open = false;
    this.#delays.clear();
    this.#dispatch();
    return this.#drained.promise;
  }

  #dispatch(): void {
    while (this.#workers.size > 0 && this.#lanes.size > 0) {
      const { key, priority, since } = this.#lanes.take()!;
      const startedAt = this.#clock.monotonic();
      this.#running.set(key, { startedAt, again: undefined });
      this.#metrics.depth(priority, -1);
      this.#metrics.waited((startedAt - since) / 1000);
      this.#workers.shift()!(key);
    }
    if (this.#open || this.#lanes.size > 0 || this.#running.size > 0) return;
    while (this.#workers.size > 0) this.#workers.shift()!(undefined);
    this.#failures.clear();
    this.#metrics.stop();
    this.#drained.resolve();
  }

  *#runningSeconds(): Iterable<number> {
    for (const { startedAt } of this.#running.values()) yield (this.#clock.monotonic() - startedAt) / 1000;
  }
}
