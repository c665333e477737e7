import {
  DeadlineError,
  Metrics,
  silentLogger,
  systemClock,
  toError,
  type BackoffOptions,
  type Clock,
  type Logger,
} from "@moco-ts/base";
import type { EventRecorder } from "../events/recorder.ts";
import type { Leadership } from "../lease/leadership.ts";
import type { Priority } from "../queue/lanes.ts";
import { Queue } from "../queue/queue.ts";
import { parseKey, type Key } from "../types/object.ts";
import { createControllerMetrics, type ControllerMetrics } from "./metrics.ts";
import { resultOf, type ObjectEvent, type Outcome, type Result } from "./outcome.ts";
import type { Source } from "./source.ts";

/**
 * controller: makes the world as it should be, key by key.
 *
 * Sources give keys; a queue keeps each of them once; workers hand them to `reconcile`, which looks at everything about
 * its key anew and does what is missing. What became of it is turned into another look, metrics, a log line and events in
 * one place, `#conclude`. A key that fails, throws or hangs never holds up another one.
 *
 * example.test.ts is a small complete controller.
 */
export interface ControllerOptions {
  /** The label `controller` of all metrics, and in log lines. */
  readonly name: string;
  readonly sources: readonly Source[];
  /** Must stop soon when `signal` is aborted: at its deadline, at shutdown, or when the leadership is lost. */
  readonly reconcile: (key: Key, context: ReconcileContext) => Promise<Outcome>;
  /** Keys that are worked on at the same time. Default 1. */
  readonly concurrency?: number;
  /** Milliseconds for one reconcile. Default 60,000. */
  readonly reconcileDeadline?: number;
  /** How long a failing key waits. Default 10 ms doubled up to a minute. */
  readonly backoff?: BackoffOptions;
  /** Asked before every reconcile. Without it everybody works. */
  readonly leadership?: Leadership;
  /** Whether the manager runs it only while this replica leads. Default true. */
  readonly needLeaderElection?: boolean;
  /** Where the events of outcomes go. Default: nowhere. */
  readonly events?: Pick<EventRecorder, "record">;
  /** What users are told of a failure, if anything. Conflicts are none. */
  readonly failureEvent?: (key: Key, error: unknown) => ObjectEvent | undefined;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
}

export interface ReconcileContext {
  readonly signal: AbortSignal;
  /** Its lines carry the controller and the key. */
  readonly log: Logger;
}

/**
 * @example
 * const controller = createController({
 *   name: "mysqlcluster",
 *   sources: [changesOf(clusters), changesOf(statefulSets, { map: ownedBy(MySQLClusters) })],
 *   reconcile: async (key, { signal, log }) => done,
 * });
 * await controller.run(signal);
 */
export function createController(options: ControllerOptions): Controller {
  return new Controller(options);
}

/** Milliseconds in which a reconcile that was told to stop should have done so. */
const stopGrace = 1000;

export type { Controller };

class Controller {
  readonly name: string;
  readonly needLeaderElection: boolean;
  readonly #options: ControllerOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #metrics: ControllerMetrics;
  readonly #queue: Queue;
  readonly #stopping = new AbortController();
  #stopSources: (() => void)[] = [];
  #failure: Error | undefined;

  constructor(options: ControllerOptions) {
    const { name, clock = systemClock, logger = silentLogger, metrics = new Metrics(), concurrency = 1 } = options;
    this.name = name;
    this.needLeaderElection = options.needLeaderElection ?? true;
    this.#options = options;
    this.#clock = clock;
    this.#logger = logger.with({ controller: name });
    this.#metrics = createControllerMetrics(metrics, name, concurrency);
    this.#queue = new Queue({ name, clock, metrics, ...(options.backoff && { backoff: options.backoff }) });
  }

  /** Asks for a look at a key from outside. */
  enqueue(key: Key, priority: Priority = "normal"): void {
    this.#queue.add(key, priority);
  }

  /**
   * Works until the signal is aborted, and resolves when nothing is being worked on any more. Rejects if a source fails
   * or the leadership is found to be lost. A controller runs once.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { sources, concurrency = 1 } = this.#options;
    const enqueue = (key: Key, priority: Priority): void => this.#queue.add(key, priority);
    this.#stopSources = sources.map((source) => source.start({ enqueue, clock: this.#clock }));
    const onAbort = (): void => this.#stop(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      await Promise.all(sources.map(async (source) => source.waitForSync?.(this.#stopping.signal)));
      this.#logger.info("started", { concurrency });
    } catch (error) {
      this.#fail(error);
    }
    // Workers are needed for the end as well: they take what waits out of the queue.
    await Promise.all(Array.from({ length: concurrency }, () => this.#work()));
    await this.#queue.shutDown();
    signal.removeEventListener("abort", onAbort);
    this.#logger.info("stopped");
    if (this.#failure) throw this.#failure;
  }

  #stop(reason: unknown): void {
    for (const stop of this.#stopSources.splice(0)) stop();
    this.#stopping.abort(reason);
    void this.#queue.shutDown();
  }

  #fail(error: unknown): void {
    if (this.#stopping.signal.aborted) return;
    this.#failure = toError(error);
    this.#stop(error);
  }

  async #work(): Promise<void> {
    for (let key = await this.#queue.next(); key !== undefined; key = await this.#queue.next()) {
      if (!this.#mayAct()) {
        this.#queue.done(key);
        continue;
      }
      // A reconcile that hangs keeps its key, so that it never runs twice, but not the worker.
      await new Promise<void>((free) => void this.#process(key, free).then(free));
    }
  }

  #mayAct(): boolean {
    try {
      this.#options.leadership?.assertHeld();
    } catch (error) {
      this.#fail(error);
    }
    return !this.#stopping.signal.aborted;
  }

  /** Works on one key from beginning to end. Never rejects. `giveUp` is called if it does not stop when told to. */
  async #process(key: Key, giveUp: () => void): Promise<void> {
    const { reconcileDeadline = 60_000 } = this.#options;
    const log = this.#logger.with({ ...parseKey(key) });
    // Made when it is needed: an error with its stack costs more than a reconcile that has nothing to do.
    let deadline: DeadlineError | undefined;
    const own = new AbortController();
    const began = this.#clock.monotonic();
    const ended = this.#metrics.started();
    let noLongerStuck = (): void => undefined;
    const onStuck = (): void => {
      noLongerStuck = this.#metrics.stuck();
      log.error("a reconcile goes on although it was told to stop: its key is stuck", { error: deadline });
      giveUp();
    };
    let cancelTimer = this.#clock.schedule(reconcileDeadline, () => {
      own.abort((deadline = new DeadlineError(`reconciling ${key}`, reconcileDeadline)));
      cancelTimer = this.#clock.schedule(stopGrace, onStuck);
    });
    const onStop = (): void => own.abort(this.#stopping.signal.reason);
    this.#stopping.signal.addEventListener("abort", onStop, { once: true });
    let result: Result;
    try {
      result = await this.#options.reconcile(key, { signal: own.signal, log });
    } catch (error) {
      const timedOut = deadline !== undefined && own.signal.reason === deadline ? deadline : undefined;
      result = resultOf(error, this.#stopping.signal.aborted, timedOut);
    } finally {
      cancelTimer();
      this.#stopping.signal.removeEventListener("abort", onStop);
    }
    noLongerStuck();
    try {
      ended(result, (this.#clock.monotonic() - began) / 1000);
      this.#conclude(key, result, log);
    } catch (error) {
      log.error("could not draw the conclusions of a reconcile", { error });
      this.#queue.addBackedOff(key);
    } finally {
      this.#queue.done(key);
    }
  }

  /** The one place where the outcome of a reconcile becomes another look, a log line and events. */
  #conclude(key: Key, result: Result, log: Logger): void {
    switch (result.kind) {
      case "done":
        this.#queue.forget(key);
        this.#tell(result.events);
        return;
      case "requeueAfter":
        this.#queue.forget(key);
        this.#queue.addAfter(key, result.milliseconds);
        log.debug("will look again", { milliseconds: result.milliseconds, reason: result.reason });
        this.#tell(result.events);
        return;
      case "requeue":
        log.debug("will look again", { milliseconds: this.#queue.addBackedOff(key), reason: result.reason });
        this.#tell(result.events);
        return;
      case "conflict":
        log.debug("somebody else was faster", { milliseconds: this.#queue.addBackedOff(key), error: result.error });
        return;
      case "failed":
      case "timedOut": {
        const retryAfter = result.kind === "failed" ? result.retryAfter : 0;
        const milliseconds = Math.round(this.#queue.addBackedOff(key, retryAfter));
        log.error("reconcile failed", { error: result.error, failures: this.#queue.failures(key), milliseconds });
        this.#tellFailure(key, result.error);
        return;
      }
      case "terminal":
        this.#queue.forget(key);
        log.error("reconcile failed for good: it is tried again when something changes", { error: result.error });
        this.#tellFailure(key, result.error);
        return;
      case "aborted":
        return;
    }
  }

  #tell(events: readonly ObjectEvent[] = []): void {
    for (const { regarding, ...content } of events) this.#options.events?.record(regarding, content);
  }

  #tellFailure(key: Key, error: unknown): void {
    const event = this.#options.failureEvent?.(key, error);
    if (event) this.#tell([event]);
  }
}
