interface Event {
  readonly due: number;
  readonly sequence: number;
  callback: (() => void) | undefined;
}

/** Simulated time: everything that will happen, in order. Nothing happens between two events. */
export class Scheduler {
  readonly #heap: Event[] = [];
  #now = 0;
  #sequence = 0;

  /** Milliseconds since the simulation began. */
  get now(): number {
    return this.#now;
  }

  /** Calls back once after so many milliseconds; the returned function cancels it. */
  after(milliseconds: number, callback: () => void): () => void {
    const event: Event = { due: this.#now + Math.max(milliseconds, 0), sequence: this.#sequence++, callback };
    this.#push(event);
    return () => (event.callback = undefined);
  }

  /** Lets the next event happen. False if there is none any more. */
  step(): boolean {
    for (;;) {
      const event = this.#pop();
      if (event === undefined) return false;
      if (event.callback === undefined) continue;
      this.#now = event.due;
      event.callback();
      return true;
    }
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let index = heap.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(event, heap[parent]!)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = event;
  }

  #pop(): Event | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || first === last) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

function isBefore(one: Event, other: Event): boolean {
  return one.due < other.due || (one.due === other.due && one.sequence < other.sequence);
}
