import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkVersion, entriesOf, notesOf } from "./changelog.ts";

const text =
  "# Changelog\n\n## Unreleased\n\n- new\n\n## 0.2.0 - 2026-01-31\n\n- old\n\n## 0.1.0\n\n- older\n\n## 0.0.1 - 2025-12-31\n";

describe("notes of a release", () => {
  test("are its section", () => expect(notesOf(text, "0.2.0", false)).toBe("- old\n"));
  test("are what is new, for a draft of the next one", () => expect(notesOf(text, "0.3.0", true)).toBe("- new\n"));
  test.each([
    ["an entry", "0.3.0", /no entry "## 0\.3\.0 - /],
    ["a date", "0.1.0", /has no date/],
    ["a text", "0.0.1", /says nothing/],
  ])("need %s", (_, version, problem) => {
    expect(() => notesOf(text, version, false)).toThrow(problem);
  });
});

test("a version is semantic, and the project's", () => {
  expect(() => checkVersion("1.2.3", "1.2.3")).not.toThrow();
  expect(() => checkVersion("1.2.3-rc.1", "1.2.3-rc.1")).not.toThrow();
  expect(() => checkVersion("v1.2", "1.2.3")).toThrow(/not a version/);
  expect(() => checkVersion("1.2.4", "1.2.3")).toThrow(/package\.json says 1\.2\.3/);
});

test("the project's changelog begins with what is not released yet", () => {
  const changelog = readFileSync(join(import.meta.dirname, "../../CHANGELOG.md"), "utf8");
  const [first, ...others] = entriesOf(changelog);
  expect(first).toMatchObject({ version: "Unreleased" });
  for (const { date } of others) expect(date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
});
