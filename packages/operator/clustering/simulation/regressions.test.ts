/**
 * Seeds whose stories once went wrong. Whatever changes in the model or in the code changes the stories too, so that these
 * may no longer tell what they once told: what was learned from them is in tests of decisions. They cost little.
 */
import { expect, it } from "vitest";
import { operatorCode, simulate } from "./index.ts";

const seeds = [
  163, 384, 402, 431, 1209, 1282, 2204, 3062, 4538, 4770, 4798, 9633, 10_484, 12_197, 12_381, 12_609, 20_883, 31_579,
  5_065_654, 7_096_545, 7_124_706, 7_136_377, 7_138_377, 7_140_617, 7_150_711, 7_193_867, 7_209_920, 7_243_384,
  7_298_202, 7_344_488, 7_349_659, 7_371_279, 7_459_461, 7_482_206, 7_605_049, 7_718_192, 9_136_989, 9_238_345,
  9_273_308, 9_642_822, 9_791_052, 9_941_599, 20_002_916,
];

it.each(seeds)(
  "seed %i",
  async (seed) => {
    const { violation, story } = await simulate({ seed, subject: operatorCode, isTold: true });
    expect(violation, story.join("\n")).toBeUndefined();
  },
  60_000,
);
