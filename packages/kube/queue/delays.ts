import type { Clock } from "@moco-ts/base";
import type { Key } from "../types/object.ts";
import { moreUrgent, type Priority } from "./lanes.ts";

interface Delay {
  readonly key: Key;
  readonly due: number;
  readonly priority: Priority;
}

/** Keys to be added later, each once, at the earliest time that was asked for. One timer serves them all. */
export class Delays {
  readonly #clock: Clock;
  readonly #release: (key: Key, priority: Priority) => void;
  readonly #current = new Map<Key, Delay>();
  /** A binary heap by due time. Delays that an earlier one replaced stay until they come up or are cleaned out. */
  #heap: Delay[] = [];
  #timer: { readonly due: number; readonly cancel: () => void } | undefined;

  constructor(clock: Clock, release: (key: Key, priority: Priority) => void) {
    this.#clock = clock;
    this.#release = release;
  }

  get size(): number {
    return this.#current.size;
  }

  add(key: Key, milliseconds: number, priority: Priority): void {
    const due = this.#clock.monotonic() + milliseconds;
    const present = this.#current.get(key);
    if (present && present.due <= due) return;
    const delay: Delay = { key, due, priority: present ? moreUrgent(present.priority, priority) : priority };
    this.#current.set(key, delay);
    this.#push(delay);
    if (this.#heap.length > 2 * this.#current.size + 64) this.#clean();
    this.#arm();
  }

  clear(): void {
    this.#current.clear();
    this.#heap = [];
    this.#arm();
  }

  #fire(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    while (this.#heap[0] !== undefined && this.#heap[0].due <= now) {
      const delay = this.#pop();
      if (!this.#isCurrent(delay)) continue;
      this.#current.delete(delay.key);
      this.#release(delay.key, delay.priority);
    }
    this.#arm();
  }

  /** Keeps the timer at the earliest due time; a timer that fires early (very long waits are cut) is set anew. */
  #arm(): void {
    while (this.#heap[0] !== undefined && !this.#isCurrent(this.#heap[0])) this.#pop();
    const next = this.#heap[0];
    if (this.#timer?.due === next?.due) return;
    this.#timer?.cancel();
    this.#timer = undefined;
    if (next === undefined) return;
    const cancel = this.#clock.schedule(next.due - this.#clock.monotonic(), () => this.#fire());
    this.#timer = { due: next.due, cancel };
  }

  #isCurrent(delay: Delay): boolean {
    return this.#current.get(delay.key) === delay;
  }

  #clean(): void {
    const delays = [...this.#current.values()];
    this.#heap = [];
    for (const delay of delays) this.#push(delay);
  }

  #push(delay: Delay): void {
    const heap = this.#heap;
    let index = heap.push(delay) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (heap[parent]!.due <= delay.due) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = delay;
  }

  #pop(): Delay {
    const heap = this.#heap;
    const top = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return top;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1]!.due < heap[child]!.due) child++;
      if (heap[child]!.due >= last.due) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
    return top;
  }
}
