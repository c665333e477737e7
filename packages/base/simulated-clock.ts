import type { Clock } from "./clock.ts";

interface Timer {
  readonly due: number;
  readonly sequence: number;
  readonly callback: () => void;
}

/**
 * A clock that moves only when told to, for tests and simulations.
 *
 * @example
 * const clock = new SimulatedClock();
 * const done = sleep(clock, 1000);
 * await clock.advance(1000);
 * await done;
 */
export class SimulatedClock implements Clock {
  readonly #timers = new Set<Timer>();
  #elapsed = 0;
  #wallOffset: number;
  #sequence = 0;

  constructor(startedAt = Date.UTC(2026, 0, 1)) {
    this.#wallOffset = startedAt;
  }

  now(): number {
    return this.#wallOffset + this.#elapsed;
  }

  monotonic(): number {
    return this.#elapsed;
  }

  schedule(milliseconds: number, callback: () => void): () => void {
    const timer: Timer = { due: this.#elapsed + Math.max(milliseconds, 0), sequence: this.#sequence++, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** How many timers are waiting: a test for leaks. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Moves time on, firing timers in order and letting promises settle after each. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#elapsed + milliseconds;
    await settle();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#timers.delete(next);
      this.#elapsed = Math.max(this.#elapsed, next.due);
      next.callback();
      await settle();
    }
    this.#elapsed = end;
  }

  /** The process was frozen: time passes, and timers that came due meanwhile fire only afterwards, late. */
  freeze(milliseconds: number): void {
    this.#elapsed += milliseconds;
  }

  /** The wall clock is set, as ntpd does; durations are not affected. */
  jump(milliseconds: number): void {
    this.#wallOffset += milliseconds;
  }

  #next(end: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.due > end) continue;
      if (!next || timer.due < next.due || (timer.due === next.due && timer.sequence < next.sequence)) next = timer;
    }
    return next;
  }
}

/** Lets every promise that can settle without time passing do so. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
