import { expect, test } from "vitest";
import { remember } from "./remember.ts";

test("a text is parsed once, however often it comes, and a mistake every time", () => {
  const parsed: string[] = [];
  const parse = remember((text) => {
    parsed.push(text);
    if (text === "bad") throw new Error("not a number");
    return Number(text);
  });
  expect(["1", "2", "1", "2"].map(parse)).toEqual([1, 2, 1, 2]);
  for (let time = 0; time < 2; time++) expect(() => parse("bad")).toThrow("not a number");
  expect(parsed).toEqual(["1", "2", "bad", "bad"]);
});

test("more different texts than can be held are parsed all the same", () => {
  const parse = remember(Number);
  for (let number = 0; number < 5000; number++) expect(parse(String(number))).toBe(number);
});
