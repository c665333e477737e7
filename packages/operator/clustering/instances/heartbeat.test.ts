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
