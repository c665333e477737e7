import { expect, test } from "vitest";
import { withoutBlanks } from "./without-blanks.ts";

test.each([
  ["an explicit null", { a: null, b: 1 }, { b: 1 }],
  ["a null in a list", { a: [null, 1] }, { a: [1] }],
  ["an empty list", { args: [], command: ["a"] }, { command: ["a"] }],
  [
    "an empty map",
    { nodeSelector: {}, resources: { limits: {}, requests: { cpu: "1" } } },
    {
      resources: { requests: { cpu: "1" } },
    },
  ],
  ["a map of nulls", { labels: { a: null } }, {}],
  [
    "deep down",
    { containers: [{ name: "a", env: [{ name: "B", value: null }] }] },
    {
      containers: [{ name: "a", env: [{ name: "B" }] }],
    },
  ],
])("%s is left out", (_, part, expected) => {
  expect(withoutBlanks<unknown>(part)).toEqual(expected);
});

test.each([
  ["an object without fields", { emptyDir: {}, securityContext: {} }],
  ["an empty text", { value: "" }],
  ["zero and false", { periodSeconds: 0, readOnly: false }],
  ["undefined", undefined],
])("%s is kept", (_, part) => {
  expect(withoutBlanks<unknown>(part)).toEqual(part);
});

test("what is given stays as it is", () => {
  const part = { a: null, b: [{ c: [] }] };
  const before = structuredClone(part);
  withoutBlanks(part);
  expect(part).toEqual(before);
});
