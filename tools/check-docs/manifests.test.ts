import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Manifests } from "./manifests.ts";
import { pages, root } from "./pages.ts";

const manifests = new Manifests();
const blocks = pages().flatMap(({ path, blocks }) =>
  blocks.filter(({ language }) => language === "yaml").map((block) => ({ ...block, place: `${path}:${block.line}` })),
);

test.each(blocks)("YAML at $place is right", ({ text, mark }) => {
  expect(manifests.problemsOf(text, /^part=(\w+)$/.exec(mark)?.[1])).toEqual([]);
});

const samples = readdirSync(join(root, "samples")).filter((name) => name.endsWith(".yaml"));

test.each(samples)("samples/%s is right", (name) => {
  expect(manifests.problemsOf(readFileSync(join(root, "samples", name), "utf8"))).toEqual([]);
});

const minimal = readFileSync(join(root, "samples/minimal.yaml"), "utf8");

test.each([
  ["a field that does not exist", minimal.replace("spec:", "spec:\n  replica: 3")],
  ["a value of another type", minimal.replace("spec:", "spec:\n  offline: maybe")],
  ["a field that is missing", minimal.replace("podTemplate", "primaryServiceTemplate")],
  ["what the webhook refuses", minimal.replace("spec:", "spec:\n  replicas: 2")],
])("%s is noticed", (_, text) => {
  expect(text).not.toBe(minimal);
  expect(manifests.problemsOf(text)).not.toEqual([]);
});
