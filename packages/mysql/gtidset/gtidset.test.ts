import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GtidSet } from "./gtidset.ts";
import { gtidSetText, servers } from "./testing/arbitrary.ts";

const [one, two] = servers;
const parse = (text: string): GtidSet => GtidSet.parse(text);
const set = gtidSetText.map(parse);

/** All transactions one by one: what a set is, without any cleverness. */
function members(gtidSet: GtidSet): Set<string> {
  const all = new Set<string>();
  for (const part of gtidSet.toString().split(",").filter(Boolean)) {
    const [server, ...tokens] = part.split(":");
    let source = server!;
    for (const token of tokens) {
      if (!/^\d/.test(token)) {
        source = `${server}:${token}`;
        continue;
      }
      const [first, last = first] = token.split("-").map(Number);
      for (let number = first!; number <= last!; number++) all.add(`${source}:${number}`);
    }
  }
  return all;
}

describe("text", () => {
  test.each([
    ["", ""],
    [" \n", ""],
    [`${one}:1`, `${one}:1`],
    [`${one}:1-3:2-5:7`, `${one}:1-5:7`],
    [`${one}:4-6:1-3`, `${one}:1-6`],
    [`${two}:1,\n${one.toUpperCase()}:2`, `${one}:2,${two}:1`],
    [`${one.replaceAll("-", "")}:1`, `${one}:1`],
    [`{${one}}:1`, `${one}:1`],
    [`${one}:5-3`, ""],
    [`${one}:blue:3:1-2,${one}:9:Blue:7`, `${one}:9:blue:1-3:7`],
    [`${one}:1-9223372036854775806`, `${one}:1-9223372036854775806`],
  ])("%j is %j", (text, canonical) => {
    expect(parse(text).toString()).toBe(canonical);
  });

  test.each(["x", one, `${one}:`, `${one}:0`, `${one}:1-`, `${one}:a-b`, `${one}x:1`, `${one}:1;${two}:1`])(
    "%j is refused",
    (text) => {
      expect(() => parse(text)).toThrow("not a set of GTIDs");
    },
  );

  test("what is written can be read, and is the same", () => {
    fc.assert(
      fc.property(set, (a) => {
        expect(parse(a.toString()).equals(a)).toBe(true);
      }),
    );
  });
});

describe("algebra", () => {
  test("union, difference, intersection and inclusion are those of the sets of transactions", () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        const [left, right] = [members(a), members(b)];
        expect(members(a.union(b))).toEqual(new Set([...left, ...right]));
        expect(members(a.subtract(b))).toEqual(new Set([...left].filter((each) => !right.has(each))));
        expect(members(a.intersect(b))).toEqual(new Set([...left].filter((each) => right.has(each))));
        expect(a.contains(b)).toBe([...right].every((each) => left.has(each)));
        expect(a.size).toBe(BigInt(left.size));
        expect(a.isEmpty).toBe(left.size === 0);
      }),
    );
  });

  test("what was taken away and put back is what there was", () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        expect(a.subtract(b).union(a.intersect(b)).equals(a)).toBe(true);
        expect(a.union(b).contains(a)).toBe(true);
        expect(a.subtract(b).intersect(b).isEmpty).toBe(true);
      }),
    );
  });
});

test("transactions of some servers only", () => {
  const all = parse(`${one}:1-3:blue:1,${two}:5`);
  expect(all.servers).toEqual([one, two]);
  expect(all.from([one.toUpperCase()]).toString()).toBe(`${one}:1-3:blue:1`);
  expect(all.from([]).isEmpty).toBe(true);
});
