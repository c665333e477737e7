import type { Clock } from "@moco-ts/base";
import type { ObjectReference } from "../types/generated/index.ts";
import { Recent } from "./recent.ts";

/** What is told of an object. Equal ones are counted, not repeated. */
export interface EventContent {
  /** Warning: somebody should look at it. */
  readonly type: "Normal" | "Warning";
  /** One word in UpperCamelCase, for machines. */
  readonly reason: string;
  /** One sentence for people; cut off after 1,024 bytes. */
  readonly message: string;
  /** What was done or tried, for events.k8s.io. Default: the reason. */
  readonly action?: string;
}

/** Occurrences that are one Event object on the server. */
export interface Series extends EventContent {
  readonly regarding: ObjectReference;
  readonly name: string;
  /** Differs from the first one only where similar events were combined. */
  message: string;
  count: number;
  readonly firstSeen: number;
  lastSeen: number;
  /** How many of them the server knows of. 0: there is no Event object yet. */
  written: number;
}

/** As client-go: an object may have 25 events at once, and one more every five minutes. */
const burst = 25;
const refillInterval = 5 * 60_000;
/** Events that differ only in their message are combined beyond so many messages in so much time. */
const similarLimit = 10;
const similarInterval = 10 * 60_000;
/** How many objects, groups and series are remembered. */
const memory = 4096;

const messageLimit = 1024;
const combinedPrefix = "(combined from similar events): ";

interface Group {
  readonly messages: Set<string>;
  /** On the monotonic clock. */
  lastSeen: number;
}

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** Decides which Event object an occurrence belongs to, and whether the server may be told of it now. */
export class Correlator {
  readonly #groups = new Recent<string, Group>(memory);
  readonly #series = new Recent<string, Series>(memory);
  readonly #buckets = new Recent<string, Bucket>(memory);
  readonly #clock: Clock;
  readonly #newName: (object: string) => string;

  /** `newName` gives unique names of Event objects. */
  constructor(clock: Clock, newName: (object: string) => string) {
    this.#clock = clock;
    this.#newName = newName;
  }

  /** Counts an occurrence. */
  observe(regarding: ObjectReference, content: EventContent): Series {
    const groupKey = JSON.stringify([objectKey(regarding), regarding.fieldPath, content.type, content.reason]);
    const elapsed = this.#clock.monotonic();
    const group = this.#groups.use(groupKey, () => ({ messages: new Set(), lastSeen: elapsed }));
    if (elapsed - group.lastSeen > similarInterval) group.messages.clear();
    group.lastSeen = elapsed;
    const known = group.messages.has(content.message) || group.messages.size < similarLimit;
    if (known) group.messages.add(content.message);
    const message = truncate(known ? content.message : combinedPrefix + content.message, messageLimit);
    const now = this.#clock.now();
    const seriesKey = JSON.stringify([groupKey, content.action, known ? message : ""]);
    const series = this.#series.use(seriesKey, () => ({
      ...content,
      message,
      regarding,
      name: this.#newName(regarding.name ?? ""),
      count: 0,
      firstSeen: now,
      lastSeen: now,
      written: 0,
    }));
    series.message = message;
    series.count++;
    series.lastSeen = now;
    return series;
  }

  /** Whether one more request may be made about this object. What is not written now is in the count of the next one. */
  mayWrite(regarding: ObjectReference): boolean {
    const now = this.#clock.monotonic();
    const bucket = this.#buckets.use(objectKey(regarding), () => ({ tokens: burst, filledAt: now }));
    bucket.tokens = Math.min(burst, bucket.tokens + (now - bucket.filledAt) / refillInterval);
    bucket.filledAt = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }
}

function objectKey({ apiVersion, kind, namespace, name, uid }: ObjectReference): string {
  return JSON.stringify([apiVersion, kind, namespace, name, uid]);
}

/** The server counts bytes. */
export function truncate(text: string, limit: number): string {
  if (Buffer.byteLength(text) <= limit) return text;
  const ellipsis = "...";
  const kept = Buffer.from(text).subarray(0, limit - ellipsis.length);
  // A character that was cut in two decodes to the replacement character.
  return kept.toString().replace(/\uFFFD+$/, "") + ellipsis;
}
