/** Numbers that look random and follow from a seed alone: the same seed tells the same story. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number) {
    this.#a = seed >>> 0;
    this.#b = Math.floor(seed / 2 ** 32) >>> 0;
    this.#c = 0x9e3779b9;
    // Neighbouring seeds begin alike; a few rounds tear them apart.
    for (let round = 0; round < 12; round++) this.next();
  }

  /** From 0 up to, and never reaching, 1. */
  next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  }

  /** A whole number from `first` to `last`, both included. */
  between(first: number, last: number): number {
    return first + Math.floor(this.next() * (last - first + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of the entries. Undefined if there is none. */
  pick<T>(list: readonly [T, ...T[]]): T;
  pick<T>(list: readonly T[]): T | undefined;
  pick<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.next() * list.length)];
  }

  /** One of the entries, more often if its weight is higher. */
  weighted<T>(entries: readonly (readonly [T, number])[]): T {
    let rest = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [value, weight] of entries) {
      rest -= weight;
      if (rest < 0) return value;
    }
    return entries.at(-1)![0];
  }
}
