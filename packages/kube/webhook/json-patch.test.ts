import { strict as assert } from "node:assert";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonPatchOperation } from "../rest/client.ts";
import { diff } from "./json-patch.ts";

/** What a server makes of the operations, written after RFC 6902. */
function patched(document: unknown, operations: readonly JsonPatchOperation[]): unknown {
  let root = structuredClone(document);
  for (const operation of operations) {
    if (operation.path === "") {
      root = "value" in operation ? operation.value : undefined;
      continue;
    }
    const steps = operation.path
      .slice(1)
      .split("/")
      .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
    const last = steps.pop()!;
    const parent = steps.reduce<unknown>((inner, step) => member(inner, step), root);
    if (Array.isArray(parent)) {
      const at = Number(last);
      assert(at <= parent.length - (operation.op === "add" ? 0 : 1));
      const values = "value" in operation ? [structuredClone(operation.value)] : [];
      parent.splice(at, operation.op === "add" ? 0 : 1, ...values);
    } else {
      const record = parent as Record<string, unknown>;
      assert(operation.op === "add" || Object.hasOwn(record, last));
      if (operation.op === "remove") delete record[last];
      else if ("value" in operation) define(record, last, structuredClone(operation.value));
    }
  }
  return root;
}

function member(value: unknown, name: string): unknown {
  assert(Object.hasOwn(value as object, name));
  return (value as Record<string, unknown>)[name];
}

/** Assigning to "__proto__" would do something else. */
function define(record: object, name: string, value: unknown): void {
  Object.defineProperty(record, name, { value, enumerable: true, configurable: true, writable: true });
}

const names = fc.constantFrom("a", "b", "a/b", "m~n", "~1", "", "constructor", "0");
const documents = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false, 0, 1, "", "x"),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(names, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;

test("the operations turn any document into any other", () => {
  fc.assert(
    fc.property(documents, documents, (from, to) => {
      expect(patched(from, diff(from, to))).toEqual(to);
    }),
    { numRuns: 1000 },
  );
});

test("a document is not different from itself", () => {
  fc.assert(
    fc.property(documents, (document) => {
      expect(diff(document, structuredClone(document))).toEqual([]);
    }),
  );
});

test.each([
  ["a changed field", { a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, [{ op: "replace", path: "/a/c", value: 3 }]],
  ["an added item in the middle", [1, 2, 3], [1, 9, 2, 3], [{ op: "add", path: "/1", value: 9 }]],
  ["a removed item", [1, 2, 3], [2, 3], [{ op: "remove", path: "/0" }]],
  ["a name with a slash", {}, { "a/b~c": 1 }, [{ op: "add", path: "/a~1b~0c", value: 1 }]],
])("one operation for %s", (_, from, to, expected) => {
  expect(diff(from, to)).toEqual(expected);
});
