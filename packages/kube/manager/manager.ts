import {
  abortReason,
  CodedError,
  DeadlineError,
  raceAbort,
  silentLogger,
  systemClock,
  toError,
  withDeadline,
  type Clock,
  type Logger,
  type Metrics,
} from "@moco-ts/base";
import type { Informer } from "../cache/informer.ts";
import type { EventRecorder } from "../events/recorder.ts";
import type { LeaderElection } from "../lease/election.ts";
import type { KubeObject } from "../types/object.ts";
import { ComponentGroup, type Component } from "./component.ts";
import { probeServers } from "./probes.ts";
import type { HealthChecks } from "./health.ts";

/**
 * manager: starts the parts of a program in order and stops them in order.
 *
 * Up: servers (health, metrics, webhooks), caches, components that run everywhere, leadership, components of the leader.
 * Down: components first, then events are written, the lease is released, caches and servers stop. What fails ends all.
 * If the leadership is lost, the process ends at once and nothing else is done.
 */
export interface ManagerOptions {
  /** Servers besides those for health and metrics: they must listen before anything else begins. */
  readonly servers?: readonly Component[];
  /** Caches: nothing works before they are complete. */
  readonly informers?: readonly Informer<KubeObject>[];
  /** Controllers and whatever else works. */
  readonly components?: readonly Component[];
  /** Without it every replica works. */
  readonly election?: LeaderElection;
  /** Written out before the end. */
  readonly events?: readonly EventRecorder[];
  /** Where /healthz and /readyz are served, in Go's notation. Default ":8081"; "0" for nowhere. */
  readonly healthAddress?: string;
  /** Where /metrics is served. Default ":8080"; "0" for nowhere. May be the same. */
  readonly metricsAddress?: string;
  /** Checks of /healthz, besides `ping`: a process that fails them is restarted. */
  readonly healthChecks?: HealthChecks;
  /** Checks of /readyz, besides `ping`, `caches` and `shutdown`: a pod that fails them gets no traffic. */
  readonly readyChecks?: HealthChecks;
  readonly metrics: Metrics;
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** Milliseconds for everything to stop. Default 30,000. */
  readonly shutdownDeadline?: number;
  /** Ends the process at once. Default process.exit. */
  readonly exit?: (code: number) => void;
  /** Told the port of each server of the manager's own, "health" or "metrics". */
  readonly onListening?: (server: string, port: number) => void;
}

export interface Manager {
  /** Runs until the signal is aborted. Rejects if anything failed, or if stopping took too long. */
  run(signal: AbortSignal): Promise<void>;
}

export function createManager(options: ManagerOptions): Manager {
  return new OrderedManager(options);
}

/** Milliseconds for the last events. */
const eventsDeadline = 5000;

class OrderedManager implements Manager {
  readonly #options: ManagerOptions;
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #servers: ComponentGroup;
  readonly #caches: ComponentGroup;
  readonly #components: ComponentGroup;
  readonly #failed = new AbortController();

  constructor(options: ManagerOptions) {
    const { logger = silentLogger, clock = systemClock } = options;
    this.#options = options;
    this.#logger = logger;
    this.#clock = clock;
    const fail = (error: Error): void => this.#fail(error);
    this.#servers = new ComponentGroup(logger, fail);
    this.#caches = new ComponentGroup(logger, fail);
    this.#components = new ComponentGroup(logger, fail);
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#options.metrics.addProcessMetrics();
    const stopping = AbortSignal.any([signal, this.#failed.signal]);
    this.#options.election?.lost.addEventListener("abort", () => this.#exit(), { once: true });
    try {
      await this.#start(stopping);
      await raceAbort(new Promise<never>(() => undefined), stopping);
    } catch (error) {
      if (!stopping.aborted) this.#fail(toError(error));
    }
    await this.#stop(abortReason(stopping).message);
    if (this.#failed.signal.aborted) throw abortReason(this.#failed.signal);
  }

  async #start(stopping: AbortSignal): Promise<void> {
    const { servers = [], informers = [], components = [], election } = this.#options;
    const probes = probeServers(this.#options, this.#clock, () => stopping.aborted);
    await raceAbort(Promise.all([...probes, ...servers].map((server) => this.#servers.start(server))), stopping);
    for (const informer of informers) {
      const name = `cache of ${informer.resource.plural}`;
      void this.#caches.start({ name, run: (signal) => informer.run(signal) });
    }
    await Promise.all(informers.map((informer) => informer.waitForSync(stopping)));
    this.#logger.info("caches are complete", { caches: informers.length });
    const onlyLeader = ({ needLeaderElection = true }: Component): boolean => needLeaderElection;
    for (const component of components) if (!onlyLeader(component)) void this.#components.start(component);
    await election?.acquire(stopping);
    for (const component of components) if (onlyLeader(component)) void this.#components.start(component);
    this.#logger.info("started", { components: this.#components.running });
  }

  async #stop(reason: string): Promise<void> {
    const { shutdownDeadline: milliseconds = 30_000, election, events = [] } = this.#options;
    this.#logger.info("stopping", { reason });
    try {
      await withDeadline({ what: "stopping", milliseconds, clock: this.#clock }, async (signal) => {
        await this.#components.stop();
        await Promise.all(events.map((recorder) => this.#writeOut(recorder, signal)));
        // Not before everything has ended: whoever takes over begins at once.
        await election?.release(signal);
        await this.#caches.stop();
        await this.#servers.stop();
      });
      this.#logger.info("stopped");
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error;
      const running = [this.#components, this.#caches, this.#servers].flatMap((group) => group.running);
      this.#fail(new CodedError("SHUTDOWN_INCOMPLETE", `still running: ${running.join(", ")}`, { cause: error }));
    }
  }

  /** Events are not worth the time that the lease and the others need to stop. */
  async #writeOut(recorder: EventRecorder, signal: AbortSignal): Promise<void> {
    const limits = { what: "writing events", milliseconds: eventsDeadline, clock: this.#clock, signal };
    await withDeadline(limits, (limited) => recorder.close(limited)).catch(() => undefined);
  }

  /** The first failure counts: the others follow from it. */
  #fail(error: Error): void {
    this.#logger.error("a failure ends the program", { error });
    if (!this.#failed.signal.aborted) this.#failed.abort(error);
  }

  /** The leadership is lost: no cleaning up, no farewell, since all of that would be acting. */
  #exit(): void {
    this.#logger.error("the leadership is lost: ending at once");
    const { exit = (code: number) => process.exit(code), election } = this.#options;
    exit(1);
    this.#fail(abortReason(election!.lost));
  }
}
