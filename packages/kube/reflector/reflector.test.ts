import { describe, expect, onTestFinished, test } from "vitest";
import { Metrics, SimulatedClock } from "@moco-ts/base";
import { ConnectionError, KubeError } from "../rest/errors.ts";
import { ModelServer } from "../testing/model-server.ts";
import { ConfigMaps, type ConfigMap } from "../types/generated/index.ts";
import type { KubeObject } from "../types/object.ts";
import { Reflector, type ReflectorOptions } from "./reflector.ts";

function setUp(options: ReflectorOptions = {}) {
  const server = new ModelServer();
  const clock = new SimulatedClock();
  const told: string[] = [];
  const name = (object: KubeObject | undefined): string => object?.metadata?.name ?? "nothing";
  const sink = {
    prepare: (object: ConfigMap) => object,
    replace: (objects: ReadonlyMap<string, ConfigMap>) =>
      void told.push(`replace ${[...objects.values()].map(name).join(" ")}`),
    upsert: (_key: string, object: ConfigMap) => void told.push(`upsert ${name(object)} ${object.data?.["value"]}`),
    remove: (key: string) => void told.push(`remove ${key}`),
  };
  const reflector = new Reflector(server.client, ConfigMaps, sink, { clock, random: () => 0, ...options });
  const stop = new AbortController();
  const start = async (): Promise<void> => {
    const running = reflector.run(stop.signal);
    onTestFinished(async () => {
      stop.abort();
      await running;
      expect(clock.pending).toBe(0);
    });
    await clock.advance(0);
  };
  return { server, clock, told, reflector, start, stop };
}

test("a list and what follows it are passed on", async () => {
  const { server, clock, told, reflector, start } = setUp();
  server.put("one", "1");
  server.put("two", "1");
  expect(reflector.hasSynced()).toBe(false);
  await start();
  expect(reflector.hasSynced()).toBe(true);
  server.put("one", "2");
  server.delete("two");
  await clock.advance(0);
  expect(told).toEqual(["replace one two", "upsert one 2", "remove default/two"]);
  expect(server.requests).toEqual(["scan", "watch from 3"]);
});

test("a list by events and what follows it come over one watch", async () => {
  const { server, clock, told, start } = setUp({ listing: "events" });
  server.put("one", "1");
  server.put("two", "1");
  await start();
  server.put("one", "2");
  await clock.advance(0);
  expect(told).toEqual(["replace one two", "upsert one 2"]);
  expect(server.requests).toEqual(["events"]);
});

test.for(["refused", "ignored"] as const)(
  "where a list by events is %s it is paged, once and for all",
  async (events) => {
    const { server, clock, told, start } = setUp({ listing: "events", pageSize: 2 });
    server.events = events;
    for (const name of ["one", "two", "three"]) server.put(name, "1");
    await start();
    expect(told).toEqual(["replace one two three"]);
    expect(server.requests).toEqual(["events", "list", "list after 4 2", "watch from 4"]);
    server.compact();
    server.put("four", "1");
    server.compact();
    server.cut();
    await clock.advance(1_000);
    expect(server.requests.slice(4)).not.toContain("events");
  },
);

test("a watch that ended goes on from the last version", async () => {
  const { server, clock, told, start } = setUp();
  await start();
  server.put("one", "1");
  await clock.advance(0);
  await clock.advance(400_000);
  server.cut("ended");
  server.put("one", "2");
  await clock.advance(0);
  expect(server.requests).toEqual(["scan", "watch from 1", "watch from 2"]);
  expect(told).toEqual(["replace ", "upsert one 1", "upsert one 2"]);
});

test("a connection that broke goes on after a look at how far the server is", async () => {
  const { server, clock, told, start } = setUp();
  await start();
  server.cut();
  server.put("one", "1");
  await clock.advance(200);
  expect(server.requests).toEqual(["scan", "watch from 1", "list", "watch from 1"]);
  expect(told).toEqual(["replace ", "upsert one 1"]);
});

test("a version that expired is followed by a new list", async () => {
  const { server, clock, told, start } = setUp();
  server.put("one", "1");
  await start();
  server.cut();
  server.delete("one");
  server.put("two", "1");
  server.compact();
  await clock.advance(1_000);
  expect(server.requests).toEqual(["scan", "watch from 2", "list", "watch from 2", "scan", "watch from 4"]);
  expect(told).toEqual(["replace one", "replace two"]);
});

test.for(["broken", "ended"] as const)("a server that went back in time is listed anew (watch %s)", async (how) => {
  const { server, clock, told, start } = setUp();
  server.put("one", "1");
  await start();
  const backup = server.backup();
  server.put("two", "1");
  await clock.advance(0);
  await clock.advance(5_000);
  server.restore(backup, how);
  await clock.advance(200);
  expect(server.requests).toEqual(["scan", "watch from 2", "list", "scan", "watch from 2"]);
  expect(told).toEqual(["replace one", "upsert two 1", "replace one"]);
});

describe("attempts that fail", () => {
  const waits = async (failure: Error, attempts: number): Promise<number[]> => {
    const { server, clock, start } = setUp();
    server.failure = failure;
    await start();
    const times: number[] = [];
    for (let seen = 1; times.length < attempts; await clock.advance(100)) {
      if (server.requests.length > seen) times.push(clock.monotonic());
      seen = server.requests.length;
    }
    return times.map((time, index) => time - (times[index - 1] ?? 0));
  };

  test("are repeated ever later", async () => {
    expect(await waits(new ConnectionError("refused"), 8)).toEqual([200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
  });

  test("are repeated no sooner than the server asks for", async () => {
    const busy = new KubeError("busy", { status: 429, reason: "TooManyRequests", retryAfter: 5_000 });
    expect(await waits(busy, 6)).toEqual([5_000, 5_000, 5_000, 5_000, 5_000, 6_400]);
  });

  test("are forgotten after a success", async () => {
    const { server, clock, start, told } = setUp();
    server.failure = new ConnectionError("refused");
    await start();
    await clock.advance(60_000);
    server.failure = undefined;
    await clock.advance(10_000);
    server.put("one", "1");
    await clock.advance(0);
    expect(told).toEqual(["replace ", "upsert one 1"]);
    server.cut();
    server.put("one", "2");
    await clock.advance(200);
    expect(told).toEqual(["replace ", "upsert one 1", "upsert one 2"]);
  });

  test("and watches that end at once are no reason to hurry", async () => {
    const { server, clock, start } = setUp();
    await start();
    const before = server.requests.length;
    for (let time = 0; time < 60_000; time += 100) {
      server.cut("ended");
      await clock.advance(100);
    }
    expect(server.requests.length - before).toBeLessThan(40);
  });

  test("that leave lists unfinished lead to pages", async () => {
    const { server, clock, told, start } = setUp();
    server.put("one", "1");
    server.client.scan = async () => {
      server.requests.push("scan");
      throw new ConnectionError("the server cut the list off");
    };
    await start();
    await clock.advance(2_000);
    expect(server.requests).toEqual(["scan", "scan", "scan", "list", "watch from 2"]);
    expect(told).toEqual(["replace one"]);
  });
});

test("metrics tell of lists, watches, failures and the age of what is known", async () => {
  const metrics = new Metrics();
  const { server, clock, start } = setUp({ metrics, namespace: "default", labelSelector: "a=b" });
  await start();
  await clock.advance(60_000);
  server.cut();
  server.compact();
  server.put("one", "1");
  await clock.advance(30_000);
  const text = await metrics.text();
  const labels = '{resource="configmaps",namespace="default",selector="a=b"}';
  expect(text).toContain(`reflector_lists_total${labels} 1`);
  expect(text).toContain(`reflector_watches_total${labels} 2`);
  expect(text).toContain(`reflector_failures_total${labels} 1`);
  expect(text).toContain(`reflector_last_sync_age_seconds${labels} 29.8`);
});

test("an abort ends it, whatever it is doing", async () => {
  for (const failure of [undefined, new ConnectionError("refused")]) {
    const { server, clock, reflector } = setUp();
    server.failure = failure;
    const stop = new AbortController();
    const running = reflector.run(stop.signal);
    await clock.advance(0);
    stop.abort();
    await running;
    expect(clock.pending).toBe(0);
  }
});
