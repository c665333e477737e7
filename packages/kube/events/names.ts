import type { Clock } from "@moco-ts/base";

/** A name may have 253 characters; the rest is for the point and sixteen digits. */
const objectPartLimit = 253 - 17;

/** Names of Event objects: the object's, and the time in nanoseconds as other controllers have it, with random digits. */
export class EventNames {
  readonly #clock: Clock;
  readonly #random: () => number;
  #last = 0n;

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  next(object: string): string {
    const stamp = BigInt(this.#clock.now()) * 1_000_000n + BigInt(Math.floor(this.#random() * 1_000_000));
    this.#last = stamp > this.#last ? stamp : this.#last + 1n;
    return `${namePart(object)}.${this.#last.toString(16)}`;
  }
}

/** Some kinds (roles, for one) have names with characters that an Event's name can't have. */
function namePart(object: string): string {
  const allowed = object
    .toLowerCase()
    .replace(/[^a-z0-9.-]/g, "-")
    .slice(0, objectPartLimit)
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, "");
  return allowed === "" ? "unnamed" : allowed;
}
