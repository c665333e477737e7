import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { inlineCode, pages, readPage, root, type Page } from "./pages.ts";

const folders = ["packages", "tools", "charts", "docs", "images", "samples", "e2e", "bench"];
const isPath = new RegExp(`^(${folders.join("|")})/[\\w./-]*$`);

/** Paths that a page names. `x.ts` after a path on the same line is beside it. */
function namedPaths(page: Page): string[] {
  const before = { line: 0, folder: "" };
  return inlineCode(page).flatMap(({ code, line }) => {
    if (isPath.test(code)) {
      Object.assign(before, { line, folder: code.endsWith("/") ? code : dirname(code) });
      return [code];
    }
    return before.line === line && /^[\w./-]+(\.ts|\/)$/.test(code) ? [join(before.folder, code)] : [];
  });
}

test.each(pages())("paths that $path names exist", (page) => {
  expect(namedPaths(page).filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test("the map of the architecture names files", () => {
  expect(namedPaths(readPage("docs/architecture.md")).length).toBeGreaterThan(40);
});
