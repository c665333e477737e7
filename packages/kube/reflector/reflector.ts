/**
 * reflector: follows one collection of the API server for ever.
 *
 * It lists once, watches from there, and goes on from the last version seen whenever a watch ends. Where that can't be
 * trusted (the server has forgotten the version, or was restored from an older backup) it lists again. So its Sink ends
 * up with what the server has, whatever happens to the connection, the server or its storage.
 */
import {
  backoffDelay,
  silentLogger,
  sleep,
  systemClock,
  type BackoffOptions,
  type Clock,
  type Logger,
  type Metrics,
} from "@moco-ts/base";
import type { Client, Selection, WatchEvent } from "../rest/client.ts";
import { ConnectionError, KubeError } from "../rest/errors.ts";
import { defaultPageSize, readPages } from "../rest/paging.ts";
import { keyOf, type Key, type KubeObject } from "../types/object.ts";
import type { Resource } from "../types/resource.ts";
import { refusesPosition, refusesEvents, ListByEventsUnsupported } from "./failures.ts";
import { createReflectorMetrics, resourceName, type ReflectorMetrics } from "./metrics.ts";
import { isEarlier } from "./resource-version.ts";
import type { Sink } from "./sink.ts";

export interface ReflectorOptions extends Selection {
  /** Only apiVersion, kind and metadata travel. Default false. */
  readonly metadataOnly?: boolean | undefined;
  /**
   * How a list is asked for. "whole": in one answer, which is read item by item and costs the server least. "events": as
   * the first events of the watch (WatchList), where the server can do so. "pages": some at a time, which is also what the
   * others fall back to when they don't work. Default "whole".
   */
  readonly listing?: "whole" | "events" | "pages" | undefined;
  /** Objects per page where lists are paged. Default 500. */
  readonly pageSize?: number | undefined;
  /**
   * Milliseconds of silence after which a watch counts as dead. Servers send a bookmark every minute, but the first one
   * may take two, so it should be longer. Default 180,000.
   */
  readonly idleTimeout?: number | undefined;
  /** Waits between attempts that fail. Default 200 ms doubling up to 10 s, half of it random. */
  readonly backoff?: BackoffOptions | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
  readonly logger?: Logger | undefined;
  readonly metrics?: Metrics | undefined;
}

const defaultBackoff: BackoffOptions = { initial: 200, maximum: 10_000, jitter: 0.5 };
const defaultIdleTimeout = 180_000;
/** The server is asked to end watches after 5 to 10 minutes, so that they spread over servers that come and go. */
const shortestTimeoutSeconds = 300;
/** An attempt that lasted so long ends a row of failures. */
const steadyAfter = 10_000;
/** A watch that ends sooner without a word is no better than one that fails. */
const shortestWatch = 1_000;
/** After so many lists that were not completed the next one is paged, whatever the reason. */
const mostBrokenLists = 3;
/** However long the server asks to wait. */
const longestRetryAfter = 60_000;

export class Reflector<T extends KubeObject> {
  readonly #client: Client;
  readonly #resource: Resource<T>;
  readonly #sink: Sink<T>;
  readonly #options: ReflectorOptions;
  readonly #selection: Selection & { readonly metadataOnly: boolean };
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #logger: Logger;
  readonly #metrics: ReflectorMetrics;
  #listing: "whole" | "events" | "pages";
  /** Lists in a row that were not completed. */
  #brokenLists = 0;
  /** The version up to which the sink knows everything; undefined if only a list can tell. */
  #position: string | undefined;
  /** True if the server may no longer be the one that the position was taken from. */
  #positionInDoubt = false;
  #synced = false;
  #syncedAt: number;
  /** In a row. */
  #failures = 0;

  constructor(client: Client, resource: Resource<T>, sink: Sink<T>, options: ReflectorOptions = {}) {
    const { namespace, labelSelector, fieldSelector, metadataOnly = false, clock = systemClock } = options;
    this.#client = client;
    this.#resource = resource;
    this.#sink = sink;
    this.#options = options;
    this.#selection = { namespace, labelSelector, fieldSelector, metadataOnly };
    this.#clock = clock;
    this.#random = options.random ?? Math.random;
    this.#logger = (options.logger ?? silentLogger).with({ resource: resourceName(resource) });
    this.#metrics = createReflectorMetrics(options.metrics, resource, this.#selection);
    this.#listing = options.listing ?? "whole";
    this.#syncedAt = clock.monotonic();
  }

  /** True once the sink has been given a full list. */
  hasSynced(): boolean {
    return this.#synced;
  }

  /** Milliseconds since the server last showed that the sink is up to date, by a list, an event or a bookmark. */
  lastSyncAge(): number {
    return this.#clock.monotonic() - this.#syncedAt;
  }

  /** Follows the collection until the signal is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const stopReporting = this.#metrics.reportAge(() => this.lastSyncAge());
    while (!signal.aborted) {
      const startedAt = this.#clock.monotonic();
      try {
        await this.#follow(signal);
      } catch (error) {
        if (signal.aborted) break;
        if (this.#clock.monotonic() - startedAt >= steadyAfter) this.#failures = 0;
        await this.#recover(error, signal);
      }
    }
    stopReporting();
  }

  /** From wherever we are to the end of one watch. */
  async #follow(signal: AbortSignal): Promise<void> {
    if (this.#position !== undefined && this.#positionInDoubt) await this.#verifyPosition(this.#position, signal);
    if (this.#position === undefined) {
      const listing = this.#brokenLists++ < mostBrokenLists ? this.#listing : "pages";
      if (listing === "events") return this.#watch(undefined, signal);
      await this.#list(listing, signal);
    }
    await this.#watch(this.#position, signal);
  }

  /**
   * A server whose storage was restored from a backup has yet to reach our version again. It would take a watch from
   * there and keep silent about everything up to it.
   */
  async #verifyPosition(position: string, signal: AbortSignal): Promise<void> {
    const { metadata } = await this.#client.list(this.#resource, { ...this.#selection, limit: 1, signal });
    if (isEarlier(metadata.resourceVersion ?? "", position)) {
      this.#logger.warn("the server has gone back in time, listing again", {
        from: position,
        to: metadata.resourceVersion,
      });
      this.#position = undefined;
    }
    this.#positionInDoubt = false;
  }

  async #list(listing: "whole" | "pages", signal: AbortSignal): Promise<void> {
    let objects = new Map<Key, T>();
    const keep = (item: T): void => {
      const object = this.#sink.prepare(item);
      if (object) objects.set(keyOf(object), object);
    };
    const startOver = (): typeof keep => {
      objects = new Map();
      return keep;
    };
    const { pageSize: limit = defaultPageSize } = this.#options;
    const metadata =
      listing === "whole"
        ? await this.#client.scan(this.#resource, { ...this.#selection, signal }, keep)
        : await readPages(this.#client, this.#resource, { ...this.#selection, limit, signal }, startOver);
    this.#replace(objects, metadata.resourceVersion ?? "");
  }

  /** Watches from a version, or from a list by events if there is none. Returns when the server ends the watch. */
  async #watch(position: string | undefined, signal: AbortSignal): Promise<void> {
    const startedAt = this.#clock.monotonic();
    const timeoutSeconds = Math.floor(shortestTimeoutSeconds * (1 + this.#random()));
    const events = this.#client.watch(this.#resource, {
      ...this.#selection,
      ...(position === undefined
        ? { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" }
        : { resourceVersion: position }),
      timeoutSeconds,
      idleTimeout: this.#options.idleTimeout ?? defaultIdleTimeout,
      signal,
    });
    this.#metrics.watched();
    const count = await this.#consume(events, position === undefined ? new Map() : undefined);
    const lasted = this.#clock.monotonic() - startedAt;
    if (count === 0 && lasted < shortestWatch) throw new ConnectionError("the server ended the watch at once");
    // An end before its time may mean that the server, or its storage, is another one now.
    if (lasted < timeoutSeconds * 1000) this.#positionInDoubt = true;
  }

  /** `initial` collects a list by events until its end. Returns how many events came. */
  async #consume(events: AsyncIterable<WatchEvent<T>>, initial: Map<Key, T> | undefined): Promise<number> {
    let count = 0;
    for await (const event of events) {
      count++;
      if (!initial) {
        this.#apply(event);
      } else if (event.type !== "BOOKMARK") {
        const key = keyOf(event.object);
        const object = event.type === "DELETED" ? undefined : this.#sink.prepare(event.object);
        if (object) initial.set(key, object);
        else initial.delete(key);
      } else {
        if (!event.initialEventsEnd) throw new ListByEventsUnsupported("the server does not list by events");
        this.#replace(initial, event.resourceVersion);
        initial = undefined;
      }
    }
    if (initial) throw new ConnectionError("the server ended a list by events before it was complete");
    return count;
  }

  #replace(objects: Map<Key, T>, resourceVersion: string): void {
    this.#metrics.listed();
    this.#brokenLists = 0;
    this.#sink.replace(objects);
    this.#position = resourceVersion;
    this.#positionInDoubt = false;
    this.#synced = true;
    this.#syncedAt = this.#clock.monotonic();
  }

  #apply(event: WatchEvent<T>): void {
    this.#failures = 0;
    this.#syncedAt = this.#clock.monotonic();
    if (event.type === "BOOKMARK") {
      this.#position = event.resourceVersion || this.#position;
      return;
    }
    this.#position = event.object.metadata?.resourceVersion ?? this.#position;
    const key = keyOf(event.object);
    const object = this.#sink.prepare(event.object);
    if (event.type !== "DELETED" && object) this.#sink.upsert(key, object);
    else this.#sink.remove(key, object);
  }

  /** Decides where to go on from, and waits. */
  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    this.#metrics.failed();
    if (this.#position === undefined && this.#listing === "events" && refusesEvents(error)) {
      this.#logger.info("the server does not list by events, paging instead");
      this.#listing = "pages";
      return;
    }
    this.#failures++;
    this.#positionInDoubt = true;
    if (refusesPosition(error)) this.#position = undefined;
    const retryAfter = error instanceof KubeError ? Math.min(error.retryAfter ?? 0, longestRetryAfter) : 0;
    const backoff = backoffDelay(this.#options.backoff ?? defaultBackoff, this.#failures, this.#random);
    const wait = Math.max(backoff, retryAfter);
    this.#logger.warn("following failed, trying again", { error, wait, relist: this.#position === undefined });
    try {
      await sleep(this.#clock, wait, signal);
    } catch {
      // An abort is all that can end the wait early, and the caller looks for it.
    }
  }
}
