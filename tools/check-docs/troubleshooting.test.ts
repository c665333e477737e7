import { describe, expect, test } from "vitest";
import { readPage } from "./pages.ts";
import { conditions, errorCodes, reasons } from "./vocabulary.ts";

const { prose } = readPage("docs/troubleshooting.md");

/** Paragraphs that begin with the words that they explain: `**Lost**, **Failed**: ...`. */
function entries(text: string): Map<string, string> {
  const paragraphs = text.split(/\n\n|\n(?=- )/).map((each) => each.trim().replace(/^- /, ""));
  return new Map(
    paragraphs.flatMap((paragraph) => {
      const [words] = /^(?:\*\*(?:`[^`]+`|[^*`]+)\*\*(?:, )?)*/.exec(paragraph)!;
      return words.split(/, |^$/).map((word) => [word.replaceAll(/^\*\*`?|`?\*\*$/g, ""), paragraph] as const);
    }),
  );
}

const explained = entries(prose);
const words = { condition: conditions(), reason: reasons(), error: errorCodes() };

describe.each(Object.entries(words))("each %s has its paragraph", (_, known) => {
  test("there are some", () => expect(known.size).toBeGreaterThan(10));

  test.each([...known].sort())("%s", (word) => {
    expect(explained.get(word)?.length ?? 0).toBeGreaterThan(60);
  });
});

test("nothing is explained that does not exist", () => {
  const all = new Set(Object.values(words).flatMap((known) => [...known]));
  expect([...explained.keys()].filter((word) => word !== "" && !all.has(word))).toEqual([]);
});
