import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { usage } from "../../packages/agent/config.ts";
import { inlineCode, pages, root } from "./pages.ts";
import { commandsOf, matches, runCommand, writePrograms } from "./run.ts";

/**
 * `console run` is run here, and has to print what it shows. Others say what they need: `cluster` a Kubernetes cluster of
 * one's own, `machine` a machine that may be changed, or minutes.
 */
const marks = ["run", "cluster", "machine"];
/** Pages that are about a cluster of one's own from beginning to end. */
const clusterPages = ["docs/installation.md"];
const languages = ["console", "json", "promql", "sql", "text", "ts", "yaml"];
const all = pages().flatMap(({ path, blocks }) =>
  blocks.map((block) => ({ ...block, path, place: `${path}:${block.line}` })),
);
const consoles = all
  .filter(({ language }) => language === "console")
  .map((block) => (clusterPages.includes(block.path) && block.mark === "" ? { ...block, mark: "cluster" } : block));

test("every block says what language it is in, and commands stand in console blocks", () => {
  expect(all.filter(({ language }) => !languages.includes(language)).map(({ place }) => place)).toEqual([]);
  const hidden = all.filter(({ language, text }) => language === "text" && /^\$ |^(kubectl|make|helm) /m.test(text));
  expect(hidden.map(({ place }) => place)).toEqual([]);
});

test("every console block says whether it is run, and if not, what it needs", () => {
  expect(consoles.filter(({ mark }) => !marks.includes(mark)).map(({ place }) => place)).toEqual([]);
  for (const { text } of consoles) expect(commandsOf(text)).not.toEqual([]);
});

describe("commands", () => {
  let programs: string;
  beforeAll(() => writePrograms((programs = mkdtempSync(join(tmpdir(), "check-docs-")))));
  afterAll(() => rmSync(programs, { recursive: true }));

  const lines = consoles
    .filter(({ mark }) => mark === "run")
    .flatMap(({ place, text }) => commandsOf(text).map((command) => ({ place, ...command })));

  test("there are some", () => expect(lines.length).toBeGreaterThan(4));

  test.each(lines)("$place: $line", ({ line, output }) => {
    const { status, text } = runCommand(line, programs);
    expect({ status, text }).toMatchObject({ status: 0 });
    expect(matches(output, text) || text).toBe(true);
  });
});

test("verbs of kubectl moco that pages name exist", () => {
  // It has a folder for each.
  const verbs = globSync("packages/kubectl-moco/*/command.ts", { cwd: root }).map((path) => path.split("/")[2]!);
  const named = pages().flatMap(({ text }) => [...text.matchAll(/kubectl[ -]moco +([a-z]+)/g)]);
  expect(named.filter(([, verb]) => !verbs.includes(verb!))).toEqual([]);
});

test("flags that pages name exist", () => {
  const sources = globSync(["{packages,tools,bench}/**/*.ts", "e2e/clustering/chaos.ts"], { cwd: root });
  const own = sources.filter((path) => !/node_modules|check-docs|\.test\.ts$/.test(path));
  const known = new Set(own.flatMap((path) => flagsOf(readFileSync(join(root, path), "utf8"))));
  for (const flag of flagsOf(usage)) known.add(flag);
  const unknown = pages().flatMap((page) => {
    const ours = page.blocks.flatMap(
      ({ text }) => text.match(/^\$ (kubectl[ -]moco|moco-|pvc-auto|node tools).*$/gm) ?? [],
    );
    const flags = [...inlineCode(page).map(({ code }) => code), ...ours].flatMap(flagsOf);
    return flags.filter((flag) => !known.has(flag) && !foreign.has(flag)).map((flag) => `${page.path}: ${flag}`);
  });
  expect(unknown).toEqual([]);
});

/** Of other programs: kubectl, Helm, MySQL. */
const foreign = new Set(["--force-conflicts", "--reuse-values", "--server-side", "--set", "--take-ownership"]);

function flagsOf(text: string): string[] {
  return [...text.matchAll(/(?<![\w-])--[a-z][a-z0-9-]+/g)].map(([flag]) => flag);
}

test("targets of make that pages name exist", () => {
  const targets = [...readFileSync(join(root, "Makefile"), "utf8").matchAll(/^([a-z0-9-]+):/gm)].map(
    ([, name]) => name,
  );
  const code = pages().flatMap((page) => [
    ...inlineCode(page).map((each) => each.code),
    ...page.blocks.filter(({ language }) => language === "console").map(({ text }) => text),
  ]);
  const named = code.flatMap((text) => [...text.matchAll(/(?:^|\$ |\n)make +([a-z][a-z0-9-]*)/g)]);
  expect(named.filter(([, name]) => !targets.includes(name))).toEqual([]);
});
