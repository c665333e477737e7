import { expect, test } from "vitest";
import { anchorOf, anchors, inlineCode, parsePage } from "./pages.ts";

const page = parsePage(
  "x.md",
  ["# A `b`: c", "", "see `make x`", "", "```console cluster", "$ ls", "```", "", "````text", "```", "````"].join("\n"),
);

test("blocks have a language, a mark and a line", () => {
  expect(page.blocks).toMatchObject([
    { language: "console", mark: "cluster", text: "$ ls", line: 5 },
    { language: "text", mark: "", text: "```", line: 9 },
  ]);
});

test("code in running text is found where it stands", () => {
  expect(inlineCode(page)).toEqual([
    { code: "b", line: 1 },
    { code: "make x", line: 3 },
  ]);
});

test("headings have the anchors that GitHub gives them", () => {
  expect([...anchors(page)]).toEqual(["a-b-c"]);
  expect(anchorOf("stop and start clustering|reconciliation CLUSTER")).toBe(
    "stop-and-start-clusteringreconciliation-cluster",
  );
});

test("a block in a list is read as if it were not", () => {
  const { blocks } = parsePage("x.md", ["1. a", "", "   ```yaml", "   a:", "     b: 1", "   ```"].join("\n"));
  expect(blocks).toMatchObject([{ language: "yaml", text: "a:\n  b: 1" }]);
});
