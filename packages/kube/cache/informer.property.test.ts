import { expect, test } from "vitest";
import * as fc from "fast-check";
import { SimulatedClock } from "@moco-ts/base";
import { ConnectionError } from "../rest/errors.ts";
import { History } from "../testing/history.ts";
import { ModelServer } from "../testing/model-server.ts";
import { ConfigMaps, type ConfigMap } from "../types/generated/index.ts";
import { createInformer } from "./create-informer.ts";

const name = fc.constantFrom("a", "b", "c", "d");
const how = fc.constantFrom("broken" as const, "ended" as const);
const change = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant("put" as const), name, value: fc.constantFrom("x", "y") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete" as const), name }) },
);
const step = fc.oneof(
  { weight: 8, arbitrary: change },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("wait" as const), time: fc.constantFrom(0, 50, 1_000, 400_000) }),
  },
  // Changes that nobody is told of as they happen, and that the server may have forgotten when it is asked.
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("gap" as const),
      how,
      changes: fc.array(change),
      forgotten: fc.boolean(),
    }),
  },
  fc.record({ do: fc.constant("backup" as const) }),
  fc.record({ do: fc.constantFrom("restore" as const, "outage" as const), how }),
);
type Change = typeof change extends fc.Arbitrary<infer C> ? C : never;

function makeChange(server: ModelServer, each: Change): void {
  if (each.do === "put") server.put(each.name, each.value);
  else server.delete(each.name);
}

test("whatever happens, the cache ends up like the server, and handlers were told a story that makes sense", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("whole" as const, "pages" as const, "events" as const),
      fc.constantFrom("served" as const, "refused" as const, "ignored" as const),
      fc.array(step, { maxLength: 40 }),
      async (listing, events, steps) => {
        const server = new ModelServer();
        server.events = events;
        const clock = new SimulatedClock();
        const informer = createInformer(server.client, ConfigMaps, {
          clock,
          listing,
          pageSize: 2,
          indexes: { value: (object) => [object.data?.["value"] ?? ""] },
        });
        const history = new History<ConfigMap>();
        history.follow(informer);
        const stop = new AbortController();
        const running = informer.run(stop.signal);

        let backup = server.backup();
        for (const each of steps) {
          if (each.do === "put" || each.do === "delete") {
            makeChange(server, each);
          } else if (each.do === "wait") {
            await clock.advance(each.time);
          } else if (each.do === "gap") {
            server.cut(each.how);
            for (const change of each.changes) makeChange(server, change);
            if (each.forgotten) server.compact();
          } else if (each.do === "backup") {
            backup = server.backup();
          } else {
            server.failure = new ConnectionError("the server is down");
            if (each.do === "restore") server.restore(backup, each.how);
            else server.cut(each.how);
            await clock.advance(5_000);
            server.failure = undefined;
            // Long enough to notice: a version that is reached again before anybody looks can't be told from the old one.
            await clock.advance(20_000);
          }
        }
        await clock.advance(30_000);
        const byName = (one: ConfigMap, other: ConfigMap): number =>
          one.metadata!.name! < other.metadata!.name! ? -1 : 1;
        const expected = [...server.objects].sort(byName);
        expect([...informer.cache.list()].sort(byName)).toEqual(expected);
        expect([...history.objects.values()].sort(byName)).toEqual(expected);
        expect(history.contradictions).toEqual([]);
        for (const value of ["x", "y"]) {
          const found = [...informer.cache.byIndex("value", value)].sort(byName);
          expect(found).toEqual(expected.filter((object) => object.data?.["value"] === value));
        }
        stop.abort();
        await running;
        expect(clock.pending).toBe(0);
      },
    ),
    { numRuns: 300 },
  );
});
