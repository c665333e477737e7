import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { anchors, pages, readPage, root } from "./pages.ts";

/** Links and pictures of a page that lead to files of this project. */
function links(prose: string): string[] {
  const text = prose.replaceAll(/`[^`\n]*`/g, "");
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g), ...text.matchAll(/(?:src|href)="([^"]+)"/g)];
  return targets.map(([, target]) => target!).filter((target) => !/^[a-z]+:/.test(target));
}

test.each(pages())("links of $path lead somewhere", ({ path, prose }) => {
  const broken = links(prose).filter((target) => {
    const [file = "", anchor] = target.split("#");
    const found = file === "" ? path : normalize(join(dirname(path), file));
    if (!existsSync(join(root, found))) return true;
    return anchor !== undefined && !anchors(readPage(found)).has(anchor);
  });
  expect(broken).toEqual([]);
});

test("every page of docs/ can be reached from the README", () => {
  const reached = new Set<string>();
  const visit = (path: string): void => {
    if (reached.has(path) || !path.endsWith(".md") || !existsSync(join(root, path))) return;
    reached.add(path);
    for (const target of links(readPage(path).prose)) visit(normalize(join(dirname(path), target.split("#")[0]!)));
  };
  visit("README.md");
  expect(pages().filter(({ path }) => !reached.has(path))).toEqual([]);
});
