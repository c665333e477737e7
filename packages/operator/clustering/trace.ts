import type { Clock } from "@moco-ts/base";
import type { MySQLCluster, Role } from "@moco-ts/api";
import type { InstanceState } from "@moco-ts/mysql";
import { Deaths } from "./deaths.ts";
import type { Settling } from "./ports.ts";
import type { Memory } from "./snapshot.ts";

/** Milliseconds without another try after a switchover failed. */
const switchoverPause = 5_000;

/** By ordinal: what was seen of it, and since when. */
type Marks = Map<number, { readonly seen: string; readonly since: number }>;

/** What the operator has seen of one cluster over time. It may be lost: then things take a look longer. */
export class Trace {
  readonly deaths = new Deaths();
  /** server_uuids that looked errant at the last look. */
  suspects: ReadonlySet<string> = new Set();
  /** Ordinals of instances that are being cloned into, or emptied for it. */
  readonly cloning = new Set<number>();
  /** The cluster as this process wrote it last: its cache may be behind. */
  latest: MySQLCluster | undefined;
  /** The memory as it was last seen: other programs may replace the status without it. */
  memory: Memory | undefined;
  readonly settling: Settling = { isSettled: false };
  /** Writers wait for a new primary to be opened: the next look does not wait for whom the last one waited in vain. */
  hurries = false;
  /** The last plan, as text, and how often it was the same. */
  lastPlan = "";
  repetitions = 0;
  readonly #clock: Clock;
  readonly #silentSince = new Map<number, number>();
  readonly #ending: Marks = new Map();
  readonly #roles: Marks = new Map();
  readonly #waits: Marks = new Map();
  #holdUntil = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds since the first of the questions that got no answer was asked. `askedAt`: when the last one was. */
  silent(ordinal: number, askedAt: number): number {
    const since = this.#silentSince.get(ordinal) ?? askedAt;
    this.#silentSince.set(ordinal, since);
    return this.#clock.monotonic() - since;
  }

  isSilent(ordinal: number): boolean {
    return this.#silentSince.has(ordinal);
  }

  answered(ordinal: number): void {
    this.#silentSince.delete(ordinal);
  }

  /** Milliseconds since a Pod was first seen to be on its way out. */
  ending(ordinal: number, podUid: string): number {
    return this.#since(this.#ending, ordinal, podUid);
  }

  /** Milliseconds since a Pod was first seen with the role that it has, or without one. */
  inRole(ordinal: number, podUid: string, role: Role | undefined): number {
    return this.#since(this.#roles, ordinal, `${podUid} ${role}`);
  }

  /** Milliseconds that commits have been waiting for acknowledgements without any of them getting enough. */
  waiting(ordinal: number, { source, executed }: InstanceState): number {
    if (source.waitingSessions > 0) return this.#since(this.#waits, ordinal, executed.toString());
    this.#waits.delete(ordinal);
    return 0;
  }

  /** Milliseconds that the same was seen of an instance. */
  #since(marks: Marks, ordinal: number, seen: string): number {
    const now = this.#clock.monotonic();
    const before = marks.get(ordinal);
    if (before?.seen === seen) return now - before.since;
    marks.set(ordinal, { seen, since: now });
    return 0;
  }

  get holdSwitchover(): boolean {
    return this.#clock.monotonic() < this.#holdUntil;
  }

  switchoverFailed(): void {
    this.#holdUntil = this.#clock.monotonic() + switchoverPause;
  }

  /** How often in a row this has been the plan. */
  repeats(plan: string): number {
    this.repetitions = plan === this.lastPlan ? this.repetitions + 1 : 0;
    this.lastPlan = plan;
    return this.repetitions;
  }
}
