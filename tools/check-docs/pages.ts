/** check-docs: holds what the pages say against the code. Everything here is a test; this is how pages are read. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dirname, "..", "..");

/** A fenced block: "```console cluster" has the language console and the mark cluster. */
export interface Block {
  readonly language: string;
  readonly mark: string;
  readonly text: string;
  /** Of the opening fence, from 1. */
  readonly line: number;
}

export interface Page {
  /** From the project's root. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  /** The text without its fenced blocks, which keep their lines empty. */
  readonly prose: string;
}

/** Everything that people read, but the decisions: those stay as they were when they were made. */
export function pages(): Page[] {
  const paths = globSync(["*.md", "docs/*.md", "docs/api/*.md", "images/*.md"], { cwd: root });
  return paths.sort().map(readPage);
}

export function readPage(path: string): Page {
  return parsePage(path, readFileSync(join(root, path), "utf8"));
}

export function parsePage(path: string, text: string): Page {
  const blocks: Block[] = [];
  const prose: string[] = [];
  let open:
    { fence: string; indent: number; language: string; mark: string; line: number; lines: string[] } | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    const [, indent = "", fence = "", information = ""] = /^(\s*)(`{3,})(.*)$/.exec(line) ?? [];
    if (open !== undefined) {
      if (fence === open.fence && information.trim() === "") {
        blocks.push({ ...open, text: open.lines.join("\n") });
        open = undefined;
      } else open.lines.push(line.slice(open.indent));
    } else if (fence !== "") {
      const [language = "", ...marks] = information.trim().split(/\s+/);
      open = { fence, indent: indent.length, language, mark: marks.join(" "), line: index + 1, lines: [] };
    }
    prose.push(open === undefined && fence === "" ? line : "");
  }
  return { path, text, blocks, prose: prose.join("\n") };
}

/** What stands in backticks in running text, with its line. */
export function inlineCode({ prose }: Page): { readonly code: string; readonly line: number }[] {
  return prose
    .split("\n")
    .flatMap((text, index) => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => ({ code: code!, line: index + 1 })));
}

/** The anchors that a renderer gives to the headings of a page. */
export function anchors({ prose }: Page): Set<string> {
  const headings = [...prose.matchAll(/^#+ +(.+)$/gm)].map(([, heading]) => heading!);
  return new Set(headings.map(anchorOf));
}

export function anchorOf(heading: string): string {
  const plain = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
  return plain.replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, "").replaceAll(" ", "-");
}
