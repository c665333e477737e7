import { Metrics, SimulatedClock } from "@moco-ts/base";
import { expect, it } from "vitest";
import { Queue } from "./queue.ts";

function setUp() {
  const clock = new SimulatedClock();
  const metrics = new Metrics();
  return { clock, metrics, queue: new Queue({ name: "things", clock, metrics }) };
}

it("moves a waiting key to the front lane when a person begins to wait for it", async () => {
  const { queue } = setUp();
  queue.add("a", "low");
  queue.add("b", "low");
  queue.add("c");
  queue.add("b", "high");
  queue.add("b", "low");
  expect([await queue.next(), await queue.next(), await queue.next()]).toEqual(["b", "c", "a"]);
});

it("runs a key again that was added while it ran, with the urgency of that add", async () => {
  const { queue } = setUp();
  queue.add("a");
  await queue.next();
  queue.add("b");
  queue.add("a");
  queue.add("a", "high");
  queue.done("a");
  expect([await queue.next(), await queue.next()]).toEqual(["a", "b"]);
  expect(queue.depth).toBe(0);
});

it("adds a delayed key at the earliest time that was asked for, and only once", async () => {
  const { clock, queue } = setUp();
  queue.addAfter("a", 500);
  queue.addAfter("a", 100);
  queue.addAfter("a", 300);
  await clock.advance(99);
  expect(queue.depth).toBe(0);
  await clock.advance(1);
  expect(queue.depth).toBe(1);
  expect(await queue.next()).toBe("a");
  queue.done("a");
  await clock.advance(1000);
  expect(queue.depth).toBe(0);
  expect(clock.pending).toBe(0);
});

it("keeps a delayed look at a key even if the key runs before", async () => {
  const { clock, queue } = setUp();
  queue.addAfter("a", 100);
  queue.add("a");
  queue.done((await queue.next())!);
  await clock.advance(100);
  expect(queue.depth).toBe(1);
});

it("waits longer for a failing key if the server asked for it", () => {
  const { queue } = setUp();
  expect(queue.addBackedOff("a", 5000)).toBe(5000);
});

it("holds delays by the thousand with one timer, in order", async () => {
  const { clock, queue } = setUp();
  for (let index = 0; index < 5000; index++) queue.addAfter(`key-${index}`, 1 + ((index * 7919) % 5000));
  for (let index = 0; index < 5000; index++) queue.addAfter(`key-${index}`, 1 + ((index * 7919) % 2500));
  expect(clock.pending).toBe(1);
  await clock.advance(1250);
  expect(queue.depth).toBe(2500);
  await clock.advance(1250);
  expect(queue.depth).toBe(5000);
  expect(clock.pending).toBe(0);
});

it("hands out a hundred thousand keys in no time", async () => {
  const { queue } = setUp();
  for (let index = 0; index < 100_000; index++) queue.add(`key-${index}`);
  const started = performance.now();
  for (let index = 0; index < 100_000; index++) queue.done((await queue.next())!);
  expect(performance.now() - started).toBeLessThan(5000);
});

it("drains on shutdown: what waits is handed out, what is delayed or comes late is not", async () => {
  const { clock, queue } = setUp();
  queue.add("running");
  await queue.next();
  queue.add("running");
  queue.add("waiting");
  queue.addAfter("delayed", 10);
  const idle = [queue.next(), queue.next(), queue.next()];
  let drained = false;
  const end = queue.shutDown().then(() => (drained = true));
  queue.add("late");
  expect(await idle[0]).toBe("waiting");
  queue.done("waiting");
  await clock.advance(1000);
  expect(drained).toBe(false);
  queue.done("running");
  expect(await idle[1]).toBe("running");
  queue.done("running");
  await end;
  expect(await idle[2]).toBeUndefined();
  expect(await queue.next()).toBeUndefined();
});

it("has the metrics of the Go work queue", async () => {
  const { clock, metrics, queue } = setUp();
  const lines = async (): Promise<string[]> =>
    (await metrics.text()).split("\n").filter((line) => !line.startsWith("#"));
  queue.add("a");
  queue.add("a", "high");
  queue.add("b", "low");
  queue.addAfter("c", 60_000);
  await clock.advance(2000);
  expect(await lines()).toEqual(
    expect.arrayContaining([
      'workqueue_depth{name="things",controller="things",priority="100"} 1',
      'workqueue_depth{name="things",controller="things",priority="0"} 0',
      'workqueue_depth{name="things",controller="things",priority="-100"} 1',
      'workqueue_adds_total{name="things",controller="things"} 2',
      'workqueue_retries_total{name="things",controller="things"} 1',
    ]),
  );
  await queue.next();
  await clock.advance(3000);
  expect(await lines()).toEqual(
    expect.arrayContaining([
      'workqueue_depth{name="things",controller="things",priority="100"} 0',
      'workqueue_queue_duration_seconds_sum{name="things",controller="things"} 2',
      'workqueue_unfinished_work_seconds{name="things",controller="things"} 3',
      'workqueue_longest_running_processor_seconds{name="things",controller="things"} 3',
    ]),
  );
  queue.done("a");
  expect(await lines()).toEqual(
    expect.arrayContaining([
      'workqueue_work_duration_seconds_sum{name="things",controller="things"} 3',
      'workqueue_work_duration_seconds_bucket{le="10",name="things",controller="things"} 1',
      'workqueue_work_duration_seconds_bucket{le="1e-8",name="things",controller="things"} 0',
      'workqueue_unfinished_work_seconds{name="things",controller="things"} 0',
    ]),
  );
});
