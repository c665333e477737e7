import { describe, expect, test } from "vitest";
import { compare } from "./compare.ts";
import { covers, formatPath, type FieldTree } from "./fields.ts";

const leaf = {};

/** What differs, as `kind path`. */
function differences(desired: object, live: object, owned: object): string[] {
  return compare(desired, live, owned as FieldTree).map(({ kind, path }) => `${kind} ${formatPath(path)}`);
}

test("nothing differs when all that we applied is there and still wanted", () => {
  const desired = { apiVersion: "v1", kind: "X", metadata: { name: "x", labels: { a: "b" } }, spec: { replicas: 3 } };
  const live = { metadata: { name: "x", uid: "1", labels: { a: "b", other: "c" } }, spec: { replicas: 3, mode: "m" } };
  const owned = { "f:metadata": { "f:labels": { "f:a": leaf } }, "f:spec": { "f:replicas": leaf } };
  expect(differences(desired, live, owned)).toEqual([]);
});

describe("a difference is named by its path:", () => {
  const owned = { "f:spec": { "f:a": leaf, "f:b": leaf } };
  test.each([
    ["a changed wish", { a: 2, b: 1 }, { a: 1, b: 1 }, ["different .spec.a"]],
    ["a new wish", { a: 1, b: 1, c: 1 }, { a: 1, b: 1 }, ["missing .spec.c"]],
    ["a wish that we have no more", { a: 1 }, { a: 1, b: 1 }, ["unwanted .spec.b"]],
    ["a right value that is not ours", { a: 1, b: 1, c: 1 }, { a: 1, b: 1, c: 1 }, ["unowned .spec.c"]],
    ["a removed field", { a: 1, b: 1 }, { a: 1 }, ["missing .spec.b"]],
    ["null for a value", { a: 1, b: null }, { a: 1, b: 1 }, ["different .spec.b"]],
    ["null for nothing", { a: 1, b: null }, { a: 1 }, []],
    ["owned, no more wanted, and gone", { a: 1 }, { a: 1 }, []],
    ["an empty list that is not recorded", { a: 1, b: 1, c: [] }, { a: 1, b: 1 }, []],
  ])("%s", (_, desired, live, expected) => {
    expect(differences({ spec: desired }, { spec: live }, owned)).toEqual(expected);
  });
});

describe("values that the server leaves out when it serves them are no difference:", () => {
  test.each([[""], [0], [false], [[]], [{}]])("%j", (value) => {
    expect(differences({ spec: { a: value } }, { spec: {} }, { "f:spec": { "f:a": leaf } })).toEqual([]);
  });
});

describe("lists whose items have keys", () => {
  const owned = {
    "f:ports": {
      'k:{"port":3306,"protocol":"TCP"}': { ".": leaf, "f:port": leaf, "f:name": leaf },
      'k:{"port":53,"protocol":"UDP"}': { ".": leaf, "f:port": leaf, "f:protocol": leaf },
    },
  };
  const mysql = { port: 3306, name: "mysql" };
  const dns = { port: 53, protocol: "UDP" };
  const live = [
    { port: 80, protocol: "TCP", name: "not ours" },
    { ...mysql, protocol: "TCP", targetPort: 3306 },
    { ...dns, targetPort: 53 },
  ];

  test.each([
    ["keys and fields that were filled in are no difference", [mysql, dns], []],
    ["an item more", [mysql, dns, { port: 9 }], ['missing .ports[port=9,protocol="TCP"]']],
    ["an item less", [mysql], ['unwanted .ports[port=53,protocol="UDP"]']],
    ["another value in an item", [{ ...mysql, name: "x" }, dns], ['different .ports[port=3306,protocol="TCP"].name']],
    ["another order", [dns, mysql], ["order .ports"]],
  ])("%s", (_, desired, expected) => {
    expect(differences({ ports: desired }, { ports: live }, owned)).toEqual(expected);
  });
});

test("members of a set are found wherever they stand, and those of others don't matter", () => {
  const owned = { "f:metadata": { "f:finalizers": { 'v:"ours"': leaf, 'v:"old"': leaf } } };
  const live = { metadata: { finalizers: ["theirs", "old", "ours"] } };
  expect(differences({ metadata: { finalizers: ["ours", "old"] } }, live, owned)).toEqual([
    "order .metadata.finalizers",
  ]);
  expect(differences({ metadata: { finalizers: ["old", "ours"] } }, live, owned)).toEqual([]);
  expect(differences({ metadata: { finalizers: ["ours"] } }, live, owned)).toEqual([
    'unwanted .metadata.finalizers["old"]',
  ]);
});

describe("values that are owned as a whole", () => {
  const owned = { "f:spec": { "f:templates": leaf } };
  const claim = { metadata: { name: "data" }, spec: { resources: { requests: { storage: "1024Mi" } } } };
  const served = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data" },
    spec: { resources: { requests: { storage: "1Gi" } }, volumeMode: "Filesystem" },
    status: { phase: "Pending" },
  };

  test("defaults inside of them are no difference", () => {
    expect(differences({ spec: { templates: [claim] } }, { spec: { templates: [served] } }, owned)).toEqual([]);
  });

  test("anything else inside of them is one", () => {
    const block = { ...served, spec: { ...served.spec, volumeMode: "Block" } };
    const expected = ["different .spec.templates"];
    expect(differences({ spec: { templates: [claim] } }, { spec: { templates: [block] } }, owned)).toEqual(expected);
    expect(differences({ spec: { templates: [claim, claim] } }, { spec: { templates: [served] } }, owned)).toEqual(
      expected,
    );
  });
});

describe("two notations of one value are no difference where the field is known for it:", () => {
  test.each([
    [["resources", "requests", "cpu"], "1000m", "1", true],
    [["resources", "limits", "memory"], "0.5Gi", "512Mi", true],
    [["resources", "limits", "cpu"], 2, "2", true],
    [["resources", "limits", "cpu"], "2", "2100m", false],
    [["emptyDir", "sizeLimit"], "1024Ki", "1Mi", true],
    [["spec", "renewTime"], "2026-01-01T01:00:00+01:00", "2026-01-01T00:00:00.000000Z", true],
    [["data", "renewTime"], "2026-01-01T01:00:00+01:00", "2026-01-01T00:00:00Z", false],
    [["data", "cpu"], "1000m", "1", false],
    [["spec", "targetPort"], 80, "80", false],
  ])("%j %j %j", (path, desired, live, same) => {
    const at = (value: unknown): object =>
      path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object;
    const owned = path.reduceRight<object>((inner, name) => ({ [`f:${name}`]: inner }), leaf);
    expect(differences(at(desired), at(live), owned)).toHaveLength(same ? 0 : 1);
  });
});

test("a tree covers what it owns, what is under it, and what it owns parts of", () => {
  const tree = { "f:spec": { "f:selector": leaf, "f:template": { "f:image": leaf } } };
  expect(covers(tree, ["f:spec", "f:selector", "f:matchLabels"])).toBe(true);
  expect(covers(tree, ["f:spec", "f:template"])).toBe(true);
  expect(covers(tree, ["f:spec", "f:template", "f:name"])).toBe(false);
  expect(covers({}, ["f:spec"])).toBe(false);
  const conditions = { "f:status": { "f:conditions": { 'k:{"type":"Ready"}': { ".": {} } } } };
  expect(covers(conditions, ["f:status", "f:conditions"])).toBe(false);
});
