import { expect, test } from "vitest";
import * as fc from "fast-check";
import { LineSplitter } from "./lines.ts";

function* inChunks(bytes: Buffer, cuts: readonly number[]): Generator<Buffer> {
  let start = 0;
  for (const cut of [...cuts.map((each) => each % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    if (cut > start) yield bytes.subarray(start, cut);
    start = Math.max(start, cut);
  }
}

function codeOf(action: () => void): string {
  try {
    action();
  } catch (error) {
    return (error as { code: string }).code;
  }
  return "none";
}

const text = fc.string({ unit: "grapheme", minLength: 1 }).filter((text) => !text.includes("\n"));
const cuts = fc.array(fc.nat());

test("lines come out whole, wherever the chunks were cut, and what is cut off never does", () => {
  fc.assert(
    fc.property(fc.array(text), cuts, fc.option(text), (lines, cuts, rest) => {
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join("") + (rest ?? ""));
      const splitter = new LineSplitter();
      const seen = Array.from(inChunks(bytes, cuts)).flatMap((chunk) => [...splitter.take(chunk)]);
      expect(seen).toEqual(lines);
      expect(codeOf(() => splitter.finish())).toBe(rest === null ? "none" : "KUBE_CONNECTION");
    }),
  );
});
