import { expect, test } from "vitest";
import * as fc from "fast-check";
import { ListSplitter } from "./list-splitter.ts";

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

function split(text: string, size: number): { items: unknown[]; envelope: unknown } {
  const bytes = Buffer.from(text);
  const splitter = new ListSplitter();
  const items: unknown[] = [];
  for (let start = 0; start < bytes.length; start += size) {
    splitter.take(bytes.subarray(start, start + size), (text) => void items.push(JSON.parse(text)));
  }
  const envelope = splitter.finish();
  return { items, envelope: envelope && JSON.parse(envelope) };
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
