import { expect, test } from "vitest";
import { formatAge } from "./age.ts";

test.each([
  [-5, "0s"],
  [0, "0s"],
  [119, "119s"],
  [120, "2m"],
  [192, "3m12s"],
  [3_600, "60m"],
  [4 * 3_600 + 60, "4h1m"],
  [30 * 3_600, "30h"],
  [51 * 3_600, "2d3h"],
  [400 * 86_400, "400d"],
])("%d seconds are %s", (seconds, text) => {
  expect(formatAge(seconds * 1000)).toBe(text);
});
