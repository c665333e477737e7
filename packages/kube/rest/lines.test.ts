import { expect, test } from "vitest";
import * as fc from "fast-check";
import { splitLines } from "./lines.ts";

async function* inChunks(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Buffer> {
  let start = 0;
  for (const cut of [...cuts.map((each) => each % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    if (cut > start) yield bytes.subarray(start, cut);
    start = Math.max(start, cut);
  }
}

const texts = fc.array(fc.string({ unit: "grapheme", minLength: 1 }).filter((text) => !text.includes("\n")));
const cuts = fc.array(fc.nat());

test("lines come out whole, wherever the chunks were cut", async () => {
  await fc.assert(
    fc.asyncProperty(texts, cuts, async (lines, cuts) => {
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
      const seen: string[] = [];
      for await (const line of splitLines(inChunks(bytes, cuts))) seen.push(line);
      expect(seen).toEqual(lines);
    }),
  );
});

test("a line that was cut is never delivered", async () => {
  await fc.assert(
    fc.asyncProperty(
      texts,
      cuts,
      fc.string({ minLength: 1 }).filter((text) => !text.includes("\n")),
      async (lines, cuts, rest) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join("") + rest);
        const seen: string[] = [];
        const reading = (async () => {
          for await (const line of splitLines(inChunks(bytes, cuts))) seen.push(line);
        })();
        await expect(reading).rejects.toMatchObject({ code: "KUBE_CONNECTION" });
        expect(seen).toEqual(lines);
      },
    ),
  );
});
