import { Metrics, raceAbort, retry, silentLogger, systemClock, type Clock, type Logger } from "@moco-ts/base";
import { ConnectionError, isAlreadyExists, isNotFound, KubeError } from "../rest/errors.ts";
import type { Client } from "../rest/client.ts";
import type { ObjectReference } from "../types/generated/index.ts";
import type { KubeObject } from "../types/object.ts";
import { Correlator, type EventContent, type Series } from "./correlate.ts";
import { coreEvents, seriesEvents, type Flavour } from "./flavours.ts";
import { EventNames } from "./names.ts";

/**
 * events: tells users what was done with their objects, where they look: `kubectl describe` and `kubectl get events`.
 *
 * Events are written in the background, one request at a time. Equal ones (object, type, reason, message) are one Event
 * with a count; ones that differ only in their message are combined beyond ten in ten minutes; an object that has too
 * many gets one every five minutes. Events are for people and may get lost: nothing must depend on them.
 *
 * The API group: core/v1 ("core", the default) is what most controllers write and kubectl shows with its count, and
 * needs the right to create and patch `events` in the core group. events.k8s.io/v1 ("events.k8s.io") is the newer one,
 * with an action and series, and needs the same rights in its own group. Both are one and the same list of objects.
 */
export interface EventRecorderOptions {
  readonly client: Client;
  /** The controller's name, as users see it under FROM. */
  readonly component: string;
  /** Which of its processes. Default: not told, or the host's name where it is required (events.k8s.io). */
  readonly instance?: string;
  /** Which API to write to. Default "core". */
  readonly api?: "core" | "events.k8s.io";
  /** Event objects that wait to be written; more are dropped. Default 1,000. */
  readonly queueSize?: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  /** Numbers in [0, 1). Default Math.random. */
  readonly random?: () => number;
}

/** About two minutes, in which a server comes back from a restart. */
const patience = { initial: 500, maximum: 15_000, attempts: 12, jitter: 0.2 };

export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #flavour: Flavour;
  readonly #correlator: Correlator;
  readonly #pending = new Set<Series>();
  readonly #closed = new AbortController();
  readonly #drop: (why: "limited" | "full" | "failed" | "closed") => void;
  #open = true;
  #writing: Promise<void> | undefined;

  constructor(options: EventRecorderOptions) {
    const { component, instance, metrics = new Metrics() } = options;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#log = options.logger ?? silentLogger;
    const reporter = { component, instance };
    this.#flavour = options.api === "events.k8s.io" ? seriesEvents(reporter) : coreEvents(reporter);
    const names = new EventNames(this.#clock, options.random ?? Math.random);
    this.#correlator = new Correlator(this.#clock, (object) => names.next(object));
    const dropped = metrics.counter("kube_events_dropped_total", "Events that were not written, by reason", ["reason"]);
    this.#drop = (reason) => dropped.inc({ reason });
  }

  /** Tells of an object that has at least apiVersion, kind and name. Returns at once and never throws. */
  record(regarding: KubeObject | ObjectReference, content: EventContent): void {
    const reference = referenceTo(regarding);
    const series = this.#correlator.observe(reference, content);
    if (this.#pending.has(series)) return;
    if (!this.#open) return this.#drop("closed");
    if (this.#pending.size >= (this.#options.queueSize ?? 1000)) return this.#drop("full");
    if (!this.#correlator.mayWrite(reference)) return this.#drop("limited");
    this.#pending.add(series);
    this.#writing ??= this.#writeAll();
  }

  /** Takes no more and waits until all is written, or gives up when the signal is aborted. Never rejects. */
  async close(signal: AbortSignal): Promise<void> {
    this.#open = false;
    // What is not written by then is lost, which is what the caller decided.
    await raceAbort(this.#writing ?? Promise.resolve(), signal).catch(() => undefined);
    this.#closed.abort();
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    for (const series of this.#pending) {
      this.#pending.delete(series);
      try {
        await this.#persist(series);
      } catch (error) {
        this.#drop("failed");
        const { kind, namespace, name } = series.regarding;
        this.#log.warn("could not write an event", { error, reason: series.reason, kind, namespace, name });
      }
    }
    this.#writing = undefined;
  }

  async #persist(series: Series): Promise<void> {
    const signal = this.#closed.signal;
    await retry({ ...patience, clock: this.#clock, signal, retryable: isTemporary }, async () => {
      const { count } = series;
      await this.#write(series, signal);
      series.written = count;
    });
  }

  async #write(series: Series, signal: AbortSignal): Promise<void> {
    const { client } = this.#options;
    try {
      await this.#flavour[series.written === 0 ? "create" : "update"](client, series, { signal });
    } catch (error) {
      // An answer was lost: the object is there already. Or it expired, as events do after an hour: it is made anew.
      if (series.written === 0 && isAlreadyExists(error)) await this.#flavour.update(client, series, { signal });
      else if (series.written > 0 && isNotFound(error)) await this.#flavour.create(client, series, { signal });
      else throw error;
    }
  }
}

function isTemporary(error: unknown): boolean {
  return (
    error instanceof ConnectionError || (error instanceof KubeError && (error.status >= 500 || error.status === 429))
  );
}

function referenceTo(object: KubeObject | ObjectReference): ObjectReference {
  if (!("metadata" in object) || object.metadata === undefined) return object;
  const { apiVersion, kind } = object;
  const { namespace, name, uid, resourceVersion } = object.metadata;
  return {
    ...(apiVersion && { apiVersion }),
    ...(kind && { kind }),
    ...(namespace && { namespace }),
    ...(name && { name }),
    ...(uid && { uid }),
    ...(resourceVersion && { resourceVersion }),
  };
}
