import { hostname } from "node:os";
import { randomUUID } from "node:crypto";
import { describeError, Metrics, silentLogger, sleep, systemClock, type Clock, type Logger } from "@moco-ts/base";
import type { EventRecorder } from "../events/recorder.ts";
import { isAlreadyExists, isConflict, isNotFound } from "../rest/errors.ts";
import type { Client } from "../rest/client.ts";
import { Leases, type Lease } from "../types/generated/index.ts";
import { LeadershipError, type Leadership } from "./leadership.ts";
import {
  checkLeaseTimes,
  defaultLeaseTimes,
  durationOf,
  heldSpec,
  holderOf,
  releasedSpec,
  signOfLife,
  type LeaseTimes,
} from "./record.ts";

/**
 * lease: one of several replicas leads, by a Lease object in the manner of client-go, so that controllers written in Go
 * and ours never act together.
 *
 * Nobody's wall clock is trusted to extend anything. A candidate takes over when it has itself seen no sign of life from the holder for the
 * lease's duration; a leader stops acting when its last successful renewal began `renewDeadline` ago. As that is shorter
 * and began earlier, two never act at the same time, unless somebody deletes the Lease while a leader acts.
 *
 * A LeaderElection is used up when the leadership is lost or released: the process ends and a new one stands again.
 */
export interface LeaderElectionOptions extends Partial<LeaseTimes> {
  /** One of its own: renewals must not wait behind other requests for a connection or a rate limit. */
  readonly client: Client;
  readonly namespace: string;
  /** Name of the Lease, and the label `name` of the metric leader_election_master_status. */
  readonly name: string;
  /** Unique among all processes that ever stood. Default: the host's name and a random part. */
  readonly identity?: string;
  /** Told on the Lease who became leader. Default: nobody is told. */
  readonly events?: Pick<EventRecorder, "record">;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  /** Numbers in [0, 1) that spread the candidates. Default Math.random. */
  readonly random?: () => number;
}

/** Milliseconds between two attempts to renew, whatever happens. */
const minimumPause = 100;

type State = "candidate" | "leader" | "lost" | "released";

export class LeaderElection implements Leadership {
  readonly identity: string;
  readonly #client: Client;
  readonly #key: { readonly namespace: string; readonly name: string };
  readonly #times: LeaseTimes;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #events: LeaderElectionOptions["events"];
  readonly #random: () => number;
  readonly #setStatus: (leading: 0 | 1) => void;
  readonly #lost = new AbortController();
  readonly #stopped = new AbortController();
  #state: State = "candidate";
  /** The holder's last sign of life, and when we saw it first. */
  #seen: { readonly lease: Lease; readonly at: number } | undefined;
  /** When the last successful renewal began. */
  #renewedAt = -Infinity;
  /** The same on the wall clock, which goes on while a machine is suspended; the other one stands still then. */
  #renewedAtWall = -Infinity;
  #cancelWatchdog = (): void => undefined;
  #renewing: Promise<void> = Promise.resolve();

  constructor(options: LeaderElectionOptions) {
    const { name, namespace, client, clock = systemClock, logger = silentLogger, metrics = new Metrics() } = options;
    this.identity = options.identity ?? `${hostname()}_${randomUUID()}`;
    this.#client = client;
    this.#key = { namespace, name };
    this.#times = {
      leaseDuration: options.leaseDuration ?? defaultLeaseTimes.leaseDuration,
      renewDeadline: options.renewDeadline ?? defaultLeaseTimes.renewDeadline,
      retryPeriod: options.retryPeriod ?? defaultLeaseTimes.retryPeriod,
    };
    checkLeaseTimes(this.#times);
    this.#clock = clock;
    this.#log = logger.with({ lease: `${namespace}/${name}`, identity: this.identity });
    this.#events = options.events;
    this.#random = options.random ?? Math.random;
    const status = metrics.gauge(
      "leader_election_master_status",
      "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master.",
      ["name"],
    );
    this.#setStatus = (leading) => status.set({ name }, leading);
    this.#setStatus(0);
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Who holds the lease as far as we have seen. */
  get holder(): string | undefined {
    return this.#seen && holderOf(this.#seen.lease);
  }

  isHeld(): boolean {
    return this.#state === "leader" && this.#isRecent();
  }

  /** By both clocks. A wall clock that is set forward costs the leadership, which is safe. */
  #isRecent(): boolean {
    const elapsed = Math.max(this.#clock.monotonic() - this.#renewedAt, this.#clock.now() - this.#renewedAtWall);
    return elapsed < this.#times.renewDeadline;
  }

  assertHeld(): void {
    if (this.isHeld()) return;
    if (this.#state === "candidate") throw new LeadershipError("NOT_LEADING", `${this.identity} does not lead`);
    this.#lose("the lease was not renewed in time");
    throw this.#lost.signal.reason ?? new LeadershipError("NOT_LEADING", `${this.identity} has stopped leading`);
  }

  /** Stands for election until elected. From then on the lease is renewed until it is lost or released. */
  async acquire(signal: AbortSignal): Promise<void> {
    this.#log.info("waiting to become leader");
    for (;;) {
      signal.throwIfAborted();
      try {
        if (await this.#stand(signal)) break;
      } catch (error) {
        signal.throwIfAborted();
        this.#log.warn("could not stand for election", { error });
      }
      await sleep(this.#clock, this.#untilNextLook(), signal);
    }
    this.#state = "leader";
    this.#setStatus(1);
    this.#log.info("became leader");
    const content = { type: "Normal", reason: "LeaderElection", message: `${this.identity} became leader` } as const;
    this.#events?.record(this.#seen!.lease, content);
    this.#watch();
    this.#renewing = this.#renewForEver(AbortSignal.any([this.#lost.signal, this.#stopped.signal]));
  }

  /**
   * Gives the lease up, so that another takes over at once. To be called only when nothing acts any more; from its first
   * moment on the leadership is no longer held.
   */
  async release(signal: AbortSignal): Promise<void> {
    if (this.#state !== "leader") return;
    this.#state = "released";
    this.#setStatus(0);
    this.#cancelWatchdog();
    this.#stopped.abort();
    await this.#renewing;
    try {
      // A renewal that was cut short may still have been carried out: what counts is the lease as it is now.
      const lease = await this.#client.get(Leases, this.#key, { signal, timeout: this.#requestTimeout });
      if (holderOf(lease) !== this.identity) return;
      const released = { ...lease, spec: releasedSpec(lease.spec!, this.#clock.now()) };
      await this.#client.update(Leases, released, { signal, timeout: this.#requestTimeout });
      this.#log.info("released the lease");
    } catch (error) {
      this.#log.warn("could not release the lease: others wait until it expires", { error });
    }
  }

  get #requestTimeout(): number {
    return this.#times.renewDeadline / 2;
  }

  /** One look at the lease and, if it is free, one attempt to take it. */
  async #stand(signal: AbortSignal): Promise<boolean> {
    const lookedAt = this.#clock.monotonic();
    const lease = await this.#look(signal);
    if (this.#expiresIn(lookedAt) > 0) return false;
    return (await this.#write(lease, signal)) && this.#isRecent();
  }

  async #look(signal: AbortSignal): Promise<Lease | undefined> {
    try {
      const lease = await this.#client.get(Leases, this.#key, { signal, timeout: this.#requestTimeout });
      if (!this.#seen || signOfLife(lease) !== signOfLife(this.#seen.lease)) {
        if (holderOf(lease) !== this.holder)
          this.#log.info("the lease has a holder", { holder: holderOf(lease) ?? "" });
        this.#seen = { lease, at: this.#clock.monotonic() };
      }
      return lease;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      // Deleted under a holder that was seen alive: it acts until it notices, so that its time is waited out.
      return undefined;
    }
  }

  /** Milliseconds for which another holder must be believed to act. */
  #expiresIn(now: number): number {
    if (!this.#seen || this.holder === undefined || this.holder === this.identity) return 0;
    return this.#seen.at + durationOf(this.#seen.lease, this.#times.leaseDuration) - now;
  }

  #untilNextLook(): number {
    const spread = this.#times.retryPeriod * (1 + 0.2 * this.#random());
    const expiry = this.#expiresIn(this.#clock.monotonic());
    return expiry > 0 ? Math.min(spread, wholeMilliseconds(expiry)) : spread;
  }

  /** Takes or renews the lease as it was last seen. False if somebody else changed it meanwhile. */
  async #write(lease: Lease | undefined, signal: AbortSignal): Promise<boolean> {
    const began = this.#clock.monotonic();
    const beganWall = this.#clock.now();
    const options = { signal, timeout: this.#requestTimeout };
    const spec = heldSpec(lease?.spec, this.identity, this.#times.leaseDuration, beganWall);
    try {
      const written = lease
        ? await this.#client.update(Leases, { ...lease, spec }, options)
        : await this.#client.create(Leases, newLease(this.#key, spec), options);
      this.#seen = { lease: written, at: this.#clock.monotonic() };
      this.#renewedAt = began;
      this.#renewedAtWall = beganWall;
      return true;
    } catch (error) {
      if (isConflict(error) || isAlreadyExists(error) || isNotFound(error)) return false;
      throw error;
    }
  }

  async #renewForEver(signal: AbortSignal): Promise<void> {
    try {
      for (let began = this.#renewedAt; ;) {
        // An attempt that took its time is repeated at once: there may be room for one more before the deadline.
        const pause = began + this.#times.retryPeriod - this.#clock.monotonic();
        await sleep(this.#clock, Math.max(pause, minimumPause), signal);
        this.assertHeld();
        began = this.#clock.monotonic();
        await this.#renew(signal);
        this.assertHeld();
        this.#watch();
      }
    } catch (error) {
      // Aborted means lost or released: those whom it concerns know already.
      if (!signal.aborted) this.#lose(describeError(error));
    }
  }

  async #renew(signal: AbortSignal): Promise<void> {
    try {
      if (await this.#write(this.#seen?.lease, signal)) return;
      // Changed by somebody else, or by an earlier renewal of ours whose answer was lost.
      const lease = await this.#look(signal);
      if (lease && holderOf(lease) !== this.identity) this.#lose(`the lease is held by "${holderOf(lease) ?? ""}"`);
      else await this.#write(lease, signal);
    } catch (error) {
      signal.throwIfAborted();
      this.#log.warn("could not renew the lease", { error });
    }
  }

  /** Requests may hang: the right to act ends by time. */
  #watch(): void {
    this.#cancelWatchdog();
    const left = this.#renewedAt + this.#times.renewDeadline - this.#clock.monotonic();
    this.#cancelWatchdog = this.#clock.schedule(wholeMilliseconds(left), () => {
      if (!this.isHeld()) this.#lose("the lease could not be renewed in time");
      else this.#watch();
    });
  }

  #lose(why: string): void {
    if (this.#state !== "leader") return;
    this.#state = "lost";
    this.#cancelWatchdog();
    this.#setStatus(0);
    this.#log.error("lost the leadership", { reason: why });
    this.#lost.abort(new LeadershipError("LEADERSHIP_LOST", `${this.identity} no longer leads: ${why}`));
  }
}

/** Timers know no fractions: rounded up, so that none fires just before its time and is set again and again. */
function wholeMilliseconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds));
}

function newLease(key: { namespace: string; name: string }, spec: Lease["spec"] & object): Lease {
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { ...key }, spec };
}
