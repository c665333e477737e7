import { SimulatedClock } from "@moco-ts/base";
import { expect, it } from "vitest";
import { Queue } from "./queue.ts";

it("example: workers that keep promises to each key", async () => {
  const clock = new SimulatedClock();
  const queue = new Queue({ name: "mysqlcluster", clock, backoff: { initial: 100, maximum: 1000 } });
  const log: string[] = [];

  // A worker takes a key, works on it and says so; a key that failed comes back after its backoff.
  let failuresLeft = 1;
  async function work(): Promise<void> {
    for (let key = await queue.next(); key !== undefined; key = await queue.next()) {
      if (key === "default/broken" && failuresLeft-- > 0) {
        log.push(`${key} failed, again in ${queue.addBackedOff(key)} ms`);
      } else {
        log.push(`${key} is fine`);
        queue.forget(key);
      }
      queue.done(key);
    }
  }

  // After a restart everything is looked at; what a person just changed goes first.
  for (const key of ["default/one", "default/two", "default/broken"]) queue.add(key, "low");
  queue.add("default/two", "high");

  const worker = work();
  await clock.advance(100);
  await queue.shutDown();
  await worker;

  expect(log).toEqual([
    "default/two is fine",
    "default/one is fine",
    "default/broken failed, again in 100 ms",
    "default/broken is fine",
  ]);
});
