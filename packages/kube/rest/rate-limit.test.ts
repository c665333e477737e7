import { describe, expect, test } from "vitest";
import * as fc from "fast-check";
import { SimulatedClock } from "@moco-ts/base";
import { RateLimiter } from "./rate-limit.ts";

const never = new AbortController().signal;

/** When each of so many callers may go, in milliseconds. */
async function admissions(limiter: RateLimiter, clock: SimulatedClock, count: number): Promise<number[]> {
  const start = clock.monotonic();
  const times: number[] = [];
  const all = Promise.all(
    Array.from({ length: count }, async () => {
      await limiter.acquire(never);
      times.push(clock.monotonic() - start);
    }),
  );
  await clock.advance(1_000_000);
  await all;
  return times;
}

test("a burst goes at once, the others at the rate", async () => {
  const clock = new SimulatedClock();
  const limiter = new RateLimiter({ qps: 10, burst: 3, clock });
  expect(await admissions(limiter, clock, 6)).toEqual([0, 0, 0, 100, 200, 300]);
  expect(await admissions(limiter, clock, 4)).toEqual([0, 0, 0, 100]);
});

test("whoever gives up frees the place", async () => {
  const clock = new SimulatedClock();
  const limiter = new RateLimiter({ qps: 10, burst: 1, clock });
  await limiter.acquire(never);
  const stop = new AbortController();
  const impatient = limiter.acquire(stop.signal);
  stop.abort(new Error("enough"));
  await expect(impatient).rejects.toThrow("enough");
  expect(await admissions(limiter, clock, 1)).toEqual([100]);
  expect(clock.pending).toBe(0);
});

describe("whatever comes when", () => {
  test("no window has more than the burst plus the rate", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 100 }),
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 40 }),
        async (qps, burst, gaps) => {
          const clock = new SimulatedClock();
          const limiter = new RateLimiter({ qps, burst, clock });
          const times: number[] = [];
          const callers: Promise<unknown>[] = [];
          for (const gap of gaps) {
            callers.push(limiter.acquire(never).then(() => times.push(clock.monotonic())));
            await clock.advance(gap);
          }
          await clock.advance(1_000_000);
          await Promise.all(callers);
          expect(times).toHaveLength(gaps.length);
          for (const [first, from] of times.entries()) {
            for (const [last, to] of times.entries()) {
              if (last < first) continue;
              const allowed = burst + ((to - from) / 1000) * qps;
              expect(last - first + 1).toBeLessThanOrEqual(allowed + 1e-6);
            }
          }
        },
      ),
      { numRuns: 50 },
    );
  });
});
