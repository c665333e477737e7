import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compare } from "./compare.ts";
import { formatPath, type FieldTree } from "./fields.ts";

type Tree = { [name: string]: Tree | string | number | boolean };

const names = fc.constantFrom("a", "b", "c", "cpu", "data", "limits", "startTime", "status");
const trees = fc.letrec<{ tree: Tree; leaf: string | number | boolean }>((tie) => ({
  leaf: fc.oneof(fc.constantFrom("1", "1000m", "", "2026-01-01T00:00:00Z"), fc.integer(), fc.boolean()),
  tree: fc.dictionary(names, fc.oneof({ maxDepth: 4, withCrossShrink: true }, tie("leaf"), tie("tree")), {
    minKeys: 1,
    maxKeys: 4,
  }),
})).tree;

/** The tree of a manager that applied `value`. */
function owns(value: Tree[string]): FieldTree {
  if (typeof value !== "object") return {};
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [`f:${name}`, owns(inner)]));
}

function merged(ours: Tree[string] | undefined, theirs: Tree[string] | undefined): Tree[string] {
  if (typeof ours !== "object" || typeof theirs !== "object") return ours ?? theirs ?? {};
  const all = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
  return Object.fromEntries([...all].map((name) => [name, merged(ours[name], theirs[name])]));
}

function leavesOf(value: Tree[string], path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object") return [path];
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, [...path, name]));
}

function withLeaf(value: Tree, [first, ...rest]: readonly string[], leaf: string): Tree {
  const inner = rest.length === 0 ? leaf : withLeaf(value[first!] as Tree, rest, leaf);
  return { ...value, [first!]: inner };
}

test("what we applied is as wanted, whatever others add", () => {
  fc.assert(
    fc.property(trees, trees, (ours, theirs) => {
      const live = { spec: merged(ours, theirs) };
      expect(compare({ spec: ours }, live, { "f:spec": owns(ours) })).toEqual([]);
    }),
  );
});

test("one changed field is found, and only that one", () => {
  fc.assert(
    fc.property(trees, fc.nat(), (ours, at) => {
      const leaves = leavesOf(ours);
      const changed = leaves[at % leaves.length]!;
      const live = { spec: withLeaf(ours, changed, "somebody else's") };
      const found = compare({ spec: ours }, live, { "f:spec": owns(ours) });
      expect(found.map(({ path }) => formatPath(path))).toEqual([`.spec.${changed.join(".")}`]);
    }),
  );
});

test("fields that we want no more are found, each of them, and none of the others", () => {
  fc.assert(
    fc.property(trees, trees, (ours, wanted) => {
      // Only where both agree on what is a leaf: a field does not change its type.
      const before = merged(wanted, ours) as Tree;
      const wantedLeaves = new Set(leavesOf(wanted).map((path) => path.join(".")));
      const expected = leavesOf(before).filter((path) => !wantedLeaves.has(path.join(".")));
      const found = compare({ spec: wanted }, { spec: before }, { "f:spec": owns(before) });
      expect(found.map(({ kind, path }) => `${kind} ${formatPath(path)}`).toSorted()).toEqual(
        expected.map((path) => `unwanted .spec.${path.join(".")}`).toSorted(),
      );
    }),
  );
});
