import type { Random } from "./random.ts";

/** A way from one place to another. Places are operators, the API server, and addresses of Pods. */
export type Way = readonly [from: string, to: string];

/** Who reaches whom, and how fast. Each direction can be cut by itself, by several faults at once. */
export class Network {
  readonly #cuts = new Map<string, number>();
  readonly #random: Random;
  /** Milliseconds that a message takes at most, if nothing delays it. */
  slowest = 4;

  constructor(random: Random) {
    this.#random = random;
  }

  passes(from: string, to: string): boolean {
    return !this.#cuts.has(`${from}>${to}`);
  }

  /** Milliseconds that a message takes. */
  delay(): number {
    return this.#random.between(1, this.slowest);
  }

  cut(ways: readonly Way[]): void {
    for (const [from, to] of ways) this.#cuts.set(`${from}>${to}`, (this.#cuts.get(`${from}>${to}`) ?? 0) + 1);
  }

  mend(ways: readonly Way[]): void {
    for (const [from, to] of ways) {
      const left = (this.#cuts.get(`${from}>${to}`) ?? 0) - 1;
      if (left > 0) this.#cuts.set(`${from}>${to}`, left);
      else this.#cuts.delete(`${from}>${to}`);
    }
  }
}
