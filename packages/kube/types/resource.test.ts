import { expect, test } from "vitest";
import { ConfigMaps, Nodes } from "./generated/index.ts";
import { pathOf } from "./resource.ts";

test("leads to one object, whatever its name", () => {
  expect(pathOf(ConfigMaps, { namespace: "a", name: "b/../c?d" })).toBe(
    "/api/v1/namespaces/a/configmaps/b%2F..%2Fc%3Fd",
  );
});

test.each([".", ".."])("leads nowhere by the name %s, which URLs would resolve", (name) => {
  const problem = { code: "KUBE_BadRequest", message: `"${name}" can't be the name of an object` };
  expect(() => pathOf(ConfigMaps, { namespace: "a", name })).toThrow(expect.objectContaining(problem));
  expect(() => pathOf(ConfigMaps, { namespace: name, name: "a" })).toThrow(expect.objectContaining(problem));
  expect(() => pathOf(Nodes, { name })).toThrow(expect.objectContaining(problem));
});
