import { expect, onTestFinished, test } from "vitest";
import { createLogger, SimulatedClock } from "@moco-ts/base";
import { ModelServer } from "../testing/model-server.ts";
import { ConfigMaps, type ConfigMap } from "../types/generated/index.ts";
import { createInformer, type InformerOptions } from "./create-informer.ts";
import type { ChangeHandler } from "./informer.ts";

function setUp(options: InformerOptions<ConfigMap> = {}) {
  const server = new ModelServer();
  const clock = new SimulatedClock();
  const lines: { level: string; msg: string; error: string }[] = [];
  const logger = createLogger({ destination: { write: (line: string) => void lines.push(JSON.parse(line)) } });
  const informer = createInformer(server.client, ConfigMaps, { clock, logger, ...options });
  const start = async (): Promise<void> => {
    const stop = new AbortController();
    const running = informer.run(stop.signal);
    onTestFinished(async () => {
      stop.abort();
      await running;
    });
    await clock.advance(0);
  };
  return { server, clock, informer, start, lines };
}

/** A handler that writes down what it is told. */
function diarist(): ChangeHandler<ConfigMap> & { diary: string[] } {
  const diary: string[] = [];
  const text = (object: ConfigMap): string => `${object.metadata?.name}=${object.data?.["value"]}`;
  return {
    diary,
    added: (object) => void diary.push(`+${text(object)}`),
    updated: (object, old) => void diary.push(`${text(old)} -> ${text(object)}`),
    deleted: (object) => void diary.push(`-${text(object)}`),
  };
}

test("handlers are told of old and new, and of replacements as deleted and added", async () => {
  const { server, clock, informer, start } = setUp();
  const handler = diarist();
  informer.subscribe(handler);
  server.put("one", "1");
  server.put("two", "1");
  await start();
  server.put("one", "2");
  await clock.advance(0);
  server.cut();
  server.delete("one");
  server.put("one", "3");
  server.delete("two");
  server.compact();
  await clock.advance(1_000);
  expect(handler.diary).toEqual(["+one=1", "+two=1", "one=1 -> one=2", "-two=1", "-one=2", "+one=3"]);
});

test("whoever joins late is told of what is there, and whoever leaves of nothing more", async () => {
  const { server, clock, informer, start } = setUp();
  server.put("one", "1");
  await start();
  const late = diarist();
  const leave = informer.subscribe(late);
  expect(late.diary).toEqual(["+one=1"]);
  leave();
  server.put("two", "1");
  await clock.advance(0);
  expect(late.diary).toEqual(["+one=1"]);
});

test("whoever joins in the middle of a list is told of everything once", async () => {
  const { server, informer, start } = setUp();
  const late = diarist();
  let joined = false;
  informer.subscribe({
    added() {
      if (!joined) informer.subscribe(late);
      joined = true;
    },
  });
  for (const name of ["one", "two", "three"]) server.put(name, "1");
  await start();
  expect(late.diary).toEqual(["+one=1", "+two=1", "+three=1"]);
});

test("a handler that throws is logged and disturbs nobody", async () => {
  const { server, clock, informer, start, lines } = setUp();
  const before = diarist();
  const after = diarist();
  informer.subscribe(before);
  informer.subscribe({
    added: () => {
      throw new Error("no good");
    },
  });
  informer.subscribe(after);
  server.put("one", "1");
  await start();
  server.put("two", "1");
  await clock.advance(0);
  expect(before.diary).toEqual(["+one=1", "+two=1"]);
  expect(after.diary).toEqual(before.diary);
  expect(informer.hasSynced()).toBe(true);
  expect(lines.filter((line) => line.level === "error").map((line) => line.error)).toEqual(["no good", "no good"]);
});

test("transforms shrink objects or drop them", async () => {
  const { server, clock, informer, start } = setUp({
    transform: (object) => (object.data?.["value"] === "foreign" ? undefined : { ...object, data: {} }),
  });
  const handler = diarist();
  informer.subscribe(handler);
  server.put("ours", "1");
  server.put("theirs", "foreign");
  await start();
  expect(informer.cache.list()).toMatchObject([{ metadata: { name: "ours" }, data: {} }]);
  server.put("ours", "foreign");
  await clock.advance(0);
  expect(informer.cache.size).toBe(0);
  expect(handler.diary).toEqual(["+ours=undefined", "-ours=undefined"]);
});

test("transforms and index functions that throw are logged and lose nothing", async () => {
  const broken = (): never => {
    throw new Error("no good");
  };
  const { server, informer, start, lines } = setUp({ transform: broken, indexes: { broken } });
  server.put("one", "1");
  await start();
  expect(informer.cache.get("default/one")?.data).toEqual({ value: "1" });
  expect(informer.cache.byIndex("broken", "")).toEqual([]);
  expect(lines.map((line) => line.msg)).toEqual(["a transform threw", "an index function threw"]);
});

test("an object that a relist brings back unchanged stays the same copy", async () => {
  const { server, clock, informer, start } = setUp();
  server.put("one", "1");
  await start();
  const before = informer.cache.get("default/one");
  server.cut();
  server.put("two", "1");
  server.compact();
  await clock.advance(1_000);
  expect(informer.cache.size).toBe(2);
  expect(informer.cache.get("default/one")).toBe(before);
});

test("waiting for the first list ends with it, or with the signal", async () => {
  const { informer, start } = setUp();
  const reason = new Error("enough");
  await expect(informer.waitForSync(AbortSignal.abort(reason))).rejects.toBe(reason);
  const synced = informer.waitForSync(new AbortController().signal);
  expect(informer.hasSynced()).toBe(false);
  await start();
  await synced;
  expect(informer.hasSynced()).toBe(true);
});
