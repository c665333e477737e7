import type { Key } from "../types/object.ts";

/** Who waits for a key: a person (`high`), the cluster (`normal`), or nobody, as after a restart or resync (`low`). */
export type Priority = "high" | "normal" | "low";

/** From the most urgent on. */
export const priorities: readonly Priority[] = ["high", "normal", "low"];

export function moreUrgent(one: Priority, other: Priority): Priority {
  return priorities.indexOf(one) <= priorities.indexOf(other) ? one : other;
}

/** A lane that was passed over this often while keys waited in it comes next, whatever waits in more urgent ones. */
const patience = 10;

export interface Ticket {
  readonly key: Key;
  readonly priority: Priority;
  /** When the key began to wait, on the monotonic clock. */
  readonly since: number;
}

interface Lane {
  readonly tickets: Fifo<Ticket>;
  /** Tickets that count: those of keys that moved to a more urgent lane stay behind until they come up. */
  waiting: number;
  passedOver: number;
}

/** Keys that wait for a worker, each once: first come, first served in a lane; urgent lanes first, but never only those. */
export class Lanes {
  readonly #current = new Map<Key, Ticket>();
  readonly #lanes = new Map<Priority, Lane>(
    priorities.map((priority) => [priority, { tickets: new Fifo<Ticket>(), waiting: 0, passedOver: 0 }]),
  );

  get size(): number {
    return this.#current.size;
  }

  /** The ticket under which the key waits already, or undefined. */
  find(key: Key): Ticket | undefined {
    return this.#current.get(key);
  }

  /** Lines up a key. One that waits already keeps its place, or moves to the more urgent lane. */
  add(ticket: Ticket): void {
    const present = this.#current.get(ticket.key);
    if (present && moreUrgent(present.priority, ticket.priority) === present.priority) return;
    if (present) this.#lane(present.priority).waiting--;
    const placed = present ? { ...ticket, since: present.since } : ticket;
    this.#current.set(ticket.key, placed);
    const lane = this.#lane(ticket.priority);
    lane.tickets.push(placed);
    lane.waiting++;
  }

  take(): Ticket | undefined {
    const chosen = this.#choose();
    if (chosen === undefined) return undefined;
    for (const [priority, lane] of this.#lanes) {
      if (priority === chosen || lane.waiting === 0) lane.passedOver = 0;
      else lane.passedOver++;
    }
    const lane = this.#lane(chosen);
    for (;;) {
      const ticket = lane.tickets.shift()!;
      if (this.#current.get(ticket.key) !== ticket) continue;
      this.#current.delete(ticket.key);
      lane.waiting--;
      return ticket;
    }
  }

  #choose(): Priority | undefined {
    const filled = priorities.filter((priority) => this.#lane(priority).waiting > 0);
    return filled.findLast((priority) => this.#lane(priority).passedOver >= patience) ?? filled[0];
  }

  #lane(priority: Priority): Lane {
    return this.#lanes.get(priority)!;
  }
}

/** First in, first out. An array's own shift() moves all that follow, and a Set's first entry hides behind deleted ones. */
export class Fifo<T> {
  #items: T[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    if (this.#head >= this.#items.length) return undefined;
    const item = this.#items[this.#head++];
    if (this.#head > 64 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
