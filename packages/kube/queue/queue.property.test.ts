import assert from "node:assert/strict";
import { SimulatedClock } from "@moco-ts/base";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { Key } from "../types/object.ts";
import { priorities, type Priority } from "./lanes.ts";
import { Queue } from "./queue.ts";

const keys: readonly Key[] = ["a", "b", "c", "d"];

type Command =
  | { readonly do: "add"; readonly key: Key; readonly priority: Priority }
  | { readonly do: "addAfter"; readonly key: Key; readonly milliseconds: number }
  | { readonly do: "fail"; readonly key: Key }
  | { readonly do: "next" }
  | { readonly do: "done"; readonly pick: number }
  | { readonly do: "advance"; readonly milliseconds: number };

const key = fc.constantFrom(...keys);
const milliseconds = fc.integer({ min: 0, max: 50 });
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("add"), key, priority: fc.constantFrom(...priorities) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("addAfter"), key, milliseconds }) },
  fc.record({ do: fc.constant("fail"), key }),
  { weight: 3, arbitrary: fc.record({ do: fc.constant("next") }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("done"), pick: fc.nat({ max: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("advance"), milliseconds }) },
);

/** What a queue must do, said with sets: order is another matter. */
class Model {
  readonly waiting = new Set<Key>();
  readonly running = new Set<Key>();
  readonly again = new Set<Key>();
  readonly delayed = new Map<Key, number>();
  now = 0;

  add(key: Key): void {
    (this.running.has(key) ? this.again : this.waiting).add(key);
  }

  addAt(key: Key, due: number): void {
    if (due <= this.now) this.add(key);
    else this.delayed.set(key, Math.min(due, this.delayed.get(key) ?? Infinity));
  }

  advance(milliseconds: number): void {
    this.now += milliseconds;
    for (const [key, due] of this.delayed) {
      if (due > this.now) continue;
      this.delayed.delete(key);
      this.add(key);
    }
  }

  started(key: Key): void {
    assert.ok(!this.running.has(key), "one worker per key");
    assert.ok(this.waiting.has(key), "only keys that were added");
    this.waiting.delete(key);
    this.running.add(key);
  }

  done(key: Key): void {
    this.running.delete(key);
    if (this.again.delete(key)) this.waiting.add(key);
  }
}

class Harness {
  readonly clock = new SimulatedClock();
  readonly queue = new Queue({ name: "test", clock: this.clock, backoff: { initial: 5, maximum: 40 } });
  readonly model = new Model();
  idleWorkers = 0;

  async run(command: Command): Promise<void> {
    const { queue, model } = this;
    switch (command.do) {
      case "add":
        queue.add(command.key, command.priority);
        model.add(command.key);
        break;
      case "addAfter":
        queue.addAfter(command.key, command.milliseconds);
        model.addAt(command.key, model.now + command.milliseconds);
        break;
      case "fail":
        model.addAt(command.key, model.now + queue.addBackedOff(command.key));
        break;
      case "next":
        this.work();
        break;
      case "done": {
        const key = [...model.running][command.pick];
        if (key === undefined) break;
        model.done(key);
        queue.done(key);
        break;
      }
      case "advance":
        model.advance(command.milliseconds);
        await this.clock.advance(command.milliseconds);
        break;
    }
    await this.clock.advance(0);
    this.check();
  }

  work(): void {
    this.idleWorkers++;
    void this.#take();
  }

  async #take(): Promise<void> {
    const key = await this.queue.next();
    this.idleWorkers--;
    if (key !== undefined) this.model.started(key);
  }

  check(): void {
    const { queue, model } = this;
    assert.equal(queue.depth, model.waiting.size + model.again.size, "each key waits once");
    assert.equal(queue.delayed, model.delayed.size, "each key is delayed once");
    assert.equal(this.clock.pending, model.delayed.size > 0 ? 1 : 0, "one timer for all delays");
    assert.ok(this.idleWorkers === 0 || model.waiting.size === 0, "no key waits while a worker idles");
  }
}

it("does what its model does, whatever comes in whatever order", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 60 }), async (commands) => {
      const harness = new Harness();
      for (const each of commands) await harness.run(each);

      // Nothing is lost: after a shutdown all that waited is handed out, and then every worker is sent home.
      const { queue, model } = harness;
      const drained = queue.shutDown();
      queue.add("late");
      model.delayed.clear();
      harness.work();
      for (let round = 0; model.waiting.size + model.running.size > 0; round++) {
        expect(round).toBeLessThan(100);
        harness.work();
        await harness.clock.advance(0);
        for (const key of model.running) {
          model.done(key);
          queue.done(key);
        }
        await harness.clock.advance(0);
      }
      await drained;
      await harness.clock.advance(0);
      expect(harness.idleWorkers).toBe(0);
      expect(harness.clock.pending).toBe(0);
    }),
    { numRuns: 1000 },
  );
});

it("serves keys of one priority in the order in which they came", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(key, { maxLength: 40 }), async (added) => {
      const queue = new Queue({ name: "test", clock: new SimulatedClock() });
      for (const each of added) queue.add(each);
      const expected = [...new Set(added)];
      const served: (Key | undefined)[] = [];
      for (const _ of expected) served.push(await queue.next());
      expect(served).toEqual(expected);
    }),
  );
});

it("serves every key after a bounded number of others, however many urgent ones keep coming", async () => {
  const crowd = fc.record({
    high: fc.nat({ max: 30 }),
    normal: fc.nat({ max: 30 }),
    low: fc.integer({ min: 1, max: 10 }),
  });
  await fc.assert(
    fc.asyncProperty(crowd, async ({ high, normal, low }) => {
      const queue = new Queue({ name: "test", clock: new SimulatedClock() });
      const fill = (priority: Priority, count: number): void => {
        for (let index = 0; index < count; index++) queue.add(`${priority}-${index}`, priority);
      };
      fill("high", high);
      fill("normal", normal);
      fill("low", low);
      let lowServed = 0;
      let taken = 0;
      for (; lowServed < low; taken++) {
        const served = (await queue.next())!;
        queue.done(served);
        if (served.startsWith("low")) lowServed++;
        else queue.add(served, served.startsWith("high") ? "high" : "normal"); // never satisfied
      }
      expect(taken).toBeLessThanOrEqual(12 * low);
    }),
  );
});

it("makes a failing key wait longer each time, up to the maximum, until it is well again", () => {
  const backoff = fc.record({
    initial: fc.integer({ min: 1, max: 100 }),
    maximum: fc.integer({ min: 100, max: 10_000 }),
    jitter: fc.double({ min: 0, max: 0.5, noNaN: true }),
  });
  fc.assert(
    fc.property(backoff, fc.double({ min: 0, max: 0.99, noNaN: true }), (options, random) => {
      const queue = new Queue({ name: "test", clock: new SimulatedClock(), backoff: options, random: () => random });
      const waits = Array.from({ length: 20 }, () => queue.addBackedOff("a"));
      expect(waits).toEqual([...waits].sort((one, other) => one - other));
      expect(waits.at(-1)).toBeLessThanOrEqual(options.maximum);
      expect(waits.at(-1)).toBeGreaterThanOrEqual(options.maximum * (1 - options.jitter));
      queue.forget("a");
      expect(queue.addBackedOff("a")).toBe(waits[0]);
    }),
  );
});
