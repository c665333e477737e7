import { expect, test } from "vitest";
import * as fc from "fast-check";
import { ArraySplitter, type ArrayPlace } from "./array-splitter.ts";

/** Full of what has a meaning in JSON. */
const tricky = fc.string({ unit: fc.constantFrom('"', "\\", "{", "]", ",", "é", "a") });
const item = fc.dictionary(tricky, fc.oneof(tricky, fc.jsonValue({ maxDepth: 3 })));
const metadata = fc.record({
  resourceVersion: fc.string({ unit: "binary-ascii" }),
  items: fc.array(fc.constant({ a: "]" })),
});
const list = fc.record({ kind: fc.constant('a "[{list'), metadata, items: fc.array(item) });
const keyOrders = fc.constantFrom(
  ["kind", "metadata", "items"],
  ["items", "kind", "metadata"],
  ["metadata", "items", "kind"],
);

const inList = { key: "items", depth: 2 };
const inAnswer = { key: "result", depth: 3 };

function split(text: string, size: number, place: ArrayPlace = inList): { items: unknown[]; envelope: unknown } {
  const bytes = Buffer.from(text);
  const splitter = new ArraySplitter(place);
  const items: unknown[] = [];
  for (let start = 0; start < bytes.length; start += size) {
    splitter.take(bytes.subarray(start, start + size), (text) => void items.push(JSON.parse(text)));
  }
  return { items, envelope: splitter.isComplete ? JSON.parse(splitter.envelope) : undefined };
}

test("whatever a list is like and however it is cut, its items come out whole", () => {
  fc.assert(
    fc.property(
      list,
      keyOrders,
      fc.constantFrom(undefined, 2),
      fc.integer({ min: 1, max: 50 }),
      (list, order, indent, size) => {
        const ordered = Object.fromEntries(order.map((key) => [key, list[key]]));
        const text = JSON.stringify(ordered, null, indent);
        expect(split(text, size)).toEqual({
          items: JSON.parse(JSON.stringify(list.items)),
          envelope: { ...list, items: [] },
        });
      },
    ),
  );
});

test("a list that was cut is never taken for a whole one", () => {
  const text = JSON.stringify({ metadata: { resourceVersion: "1" }, items: [{ a: 1 }, { b: "}]}" }] });
  for (let length = 0; length < text.length; length++) expect(split(text.slice(0, length), 3).envelope).toBeUndefined();
  expect(split(text, 3).envelope).toEqual({ metadata: { resourceVersion: "1" }, items: [] });
});

test("an array may be further inside", () => {
  const answer = {
    status: "é",
    data: { resultType: "vector", result: [{ metric: { a: '"}]' } }, { value: [1, "2"] }] },
  };
  for (const size of [1, 7, 1000]) {
    expect(split(JSON.stringify(answer), size, inAnswer)).toEqual({
      items: answer.data.result,
      envelope: { ...answer, data: { ...answer.data, result: [] } },
    });
  }
});

test("what is something else is left as it is", () => {
  for (const text of ["null", "[]", "<html>", '{"status":"error","error":"a \\"quoted\\" word"}']) {
    const splitter = new ArraySplitter(inAnswer);
    splitter.take(Buffer.from(text), () => expect.unreachable());
    expect(splitter.envelope).toBe(text);
  }
});
