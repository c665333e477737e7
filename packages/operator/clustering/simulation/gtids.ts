/**
 * Transactions in the model. What comes from one server is received in its order and without gaps, so that a set is a
 * number for each server. That is fast; the code under test gets real GtidSets.
 */
import { GtidSet, reservedUuid } from "@moco-ts/mysql";

export interface Transaction {
  /** Which server committed it first; see `uuidOf`. */
  readonly origin: number;
  readonly number: number;
  /** What it wrote. Two transactions with one GTID may differ in it: then data has diverged. */
  readonly row: number;
}

/** The row of a transaction that writes nothing. */
export const noRow = -1;

/** By origin: the set has its transactions 1 to so many. */
export type Counts = (number | undefined)[];

export function covers(all: Counts, some: Counts): boolean {
  return some.every((count, origin) => (count ?? 0) <= (all[origin] ?? 0));
}

export function isNothing(counts: Counts): boolean {
  return counts.every((count) => (count ?? 0) === 0);
}

/** Origin 0 is nobody: the operator's own empty transactions. */
export const reservedOrigin = 0;

export function uuidOf(origin: number): string {
  return origin === reservedOrigin ? reservedUuid : `00000000-0000-4000-8000-${String(origin).padStart(12, "0")}`;
}

/** Makes real sets of them, each only once. */
export class GtidSets {
  readonly #made = new Map<string, GtidSet>();

  of(counts: Counts): GtidSet {
    return this.between([], counts);
  }

  /** What `last` has and `before` has not. */
  between(before: Counts, last: Counts): GtidSet {
    let text = "";
    for (let origin = 0; origin < last.length; origin++) {
      const first = (before[origin] ?? 0) + 1;
      const end = last[origin] ?? 0;
      if (end >= first) text += `${text && ","}${uuidOf(origin)}:${first}-${end}`;
    }
    let set = this.#made.get(text);
    if (set === undefined) {
      set = GtidSet.parse(text);
      this.#made.set(text, set);
    }
    return set;
  }
}
