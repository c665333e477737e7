import { SimulatedClock } from "@moco-ts/base";
import type { MysqlInstance } from "@moco-ts/mysql";
import { expect, test } from "vitest";
import { followInstance } from "./heartbeat.ts";

test("an instance that is well costs no memory, however long it is followed", async () => {
  let waiting = 0;
  const instance = {
    isPrepared: true,
    ask: async () => ({ signs: "", waitingAt: undefined }),
    onLoss: () => {
      waiting++;
      return () => waiting--;
    },
  } as unknown as MysqlInstance;
  const [clock, end] = [new SimulatedClock(), new AbortController()];
  const following = followInstance(instance, () => undefined, clock, end.signal);
  await clock.advance(60_000);
  expect(waiting).toBe(1);
  end.abort();
  await following;
  expect(waiting).toBe(0);
});

test("the end of a connection is noticed at once, and all else at the next beat", async () => {
  let lose = (): void => undefined;
  let isThere = true;
  const instance = {
    isPrepared: true,
    ask: async () => {
      if (isThere) return { signs: "", waitingAt: undefined };
      throw new Error("connect ECONNREFUSED");
    },
    onLoss: (callback: () => void) => {
      lose = callback;
      return () => undefined;
    },
  } as unknown as MysqlInstance;
  const [clock, end] = [new SimulatedClock(), new AbortController()];
  const times: number[] = [];
  const following = followInstance(instance, () => void times.push(clock.monotonic()), clock, end.signal);
  await clock.advance(1_500);
  isThere = false;
  lose();
  await clock.advance(400);
  isThere = true;
  await clock.advance(600);
  expect(times).toEqual([0, 1_500, 2_000]);
  end.abort();
  await following;
});
