import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { readPage, root } from "./pages.ts";

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string }[] }[];
}

const files = globSync("charts/*/rules/*.yaml", { cwd: root });
const alerts = files.flatMap((file) => {
  const { groups } = parse(readFileSync(join(root, file), "utf8")) as Rules;
  return groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
});

test("every alert of the charts has its section, and no other", () => {
  const { prose } = readPage("docs/alerts.md");
  const sections = [...prose.matchAll(/^### (\w+)$/gm)].map(([, name]) => name!);
  expect(sections.sort()).toEqual(alerts.sort());
});
