import { expect, test } from "vitest";
import { isAtLeast, parseVersion, statementsOf } from "./version.ts";

test.each([
  ["8.0.28", { major: 8, minor: 0, patch: 28 }],
  ["8.4.8-log", { major: 8, minor: 4, patch: 8 }],
  ["9.7.4-2", { major: 9, minor: 7, patch: 4 }],
])("%s is read", (text, version) => {
  expect(parseVersion(text)).toEqual(version);
});

test("what is no version is refused", () => {
  expect(() => parseVersion("MariaDB")).toThrow('not a version of MySQL: "MariaDB"');
});

test("versions are compared by their numbers", () => {
  const version = parseVersion("8.10.2");
  expect(isAtLeast(version, 8, 2)).toBe(true);
  expect(isAtLeast(version, 8, 10, 2)).toBe(true);
  expect(isAtLeast(version, 8, 10, 3)).toBe(false);
  expect(isAtLeast(version, 9, 0)).toBe(false);
  expect(isAtLeast(version, 7, 99)).toBe(true);
});

test("each version gets the words that it knows", () => {
  expect(statementsOf(parseVersion("8.0.45")).resetBinaryLogs).toBe("RESET MASTER");
  expect(statementsOf(parseVersion("8.4.8")).resetBinaryLogs).toBe("RESET BINARY LOGS AND GTIDS");
  expect(statementsOf(parseVersion("9.7.4")).showBinaryLogStatus).toBe("SHOW BINARY LOG STATUS");
});
