import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { backoffDelay } from "./backoff.ts";
import { retry } from "./retry.ts";
import { SimulatedClock } from "./simulated-clock.ts";

describe("retry", () => {
  it("waits longer after each failure and returns the first success", async () => {
    const clock = new SimulatedClock(0);
    const times: number[] = [];
    const result = retry({ clock, initial: 100, maximum: 300 }, async (attempt) => {
      times.push(clock.now());
      if (attempt < 5) throw new Error("not yet");
      return "done";
    });
    await clock.advance(10_000);
    await expect(result).resolves.toBe("done");
    expect(times).toEqual([0, 100, 300, 600, 900]);
  });

  it("gives up after the asked number of attempts, or at once for what is not worth it", async () => {
    const clock = new SimulatedClock();
    let calls = 0;
    const fail = async (): Promise<never> => {
      calls++;
      throw new Error("no");
    };
    const limited = expect(retry({ clock, initial: 1, maximum: 1, attempts: 3 }, fail)).rejects.toThrow("no");
    await clock.advance(100);
    await limited;
    expect(calls).toBe(3);
    await expect(retry({ clock, initial: 1, maximum: 1, retryable: () => false }, fail)).rejects.toThrow("no");
    expect(calls).toBe(4);
  });
});

describe("backoffDelay", () => {
  it("stays between the jittered share and the maximum", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (failures, dice) => {
          const delay = backoffDelay({ initial: 10, maximum: 1000, jitter: 0.5 }, failures, () => dice);
          expect(delay).toBeGreaterThan(0);
          expect(delay).toBeLessThanOrEqual(1000);
        },
      ),
    );
  });
});
