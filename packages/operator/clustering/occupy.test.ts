import { SimulatedClock } from "@moco-ts/base";
import { expect, test } from "vitest";
import { occupy } from "./occupy.ts";

test("an instance is left alone until the work on it has ended, and for a while if that failed", async () => {
  const clock = new SimulatedClock();
  const occupied = new Set<number>();
  const seen: string[] = [];
  const begin = (name: string, work: () => Promise<void>): void => {
    const occupation = { occupied, clock, wake: () => void seen.push("wake") };
    occupy(2, occupation, work, (error) => void seen.push(`${name}: ${String(error)}`));
  };
  const first = Promise.withResolvers<void>();
  begin("first", () => first.promise);
  begin("another", () => Promise.reject(new Error("it is not begun")));
  expect([...occupied]).toEqual([2]);
  first.resolve();
  await clock.advance(1);
  expect([...occupied]).toEqual([]);

  begin("second", () => Promise.reject(new Error("no")));
  await clock.advance(4_000);
  expect([...occupied]).toEqual([2]);
  await clock.advance(2_000);
  expect([...occupied]).toEqual([]);
  expect(seen).toEqual(["wake", "second: Error: no", "wake"]);
});
