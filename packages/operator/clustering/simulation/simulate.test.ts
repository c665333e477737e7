import { describe, expect, it } from "vitest";
import { GtidSets, operatorCode as subject, simulate } from "./index.ts";

const stories = 2_000;

describe("the simulator", () => {
  it("tells the same story for the same seed", async () => {
    const [first, second] = [
      await simulate({ seed: 7, subject, isTold: true }),
      await simulate({ seed: 7, subject, isTold: true }),
    ];
    expect(second).toEqual(first);
    expect(first.story.length).toBeGreaterThan(20);
  });

  it("tells another story for another seed", async () => {
    const one = await simulate({ seed: 8, subject, isTold: true });
    const other = await simulate({ seed: 9, subject, isTold: true });
    expect(one.story).not.toEqual(other.story);
  });
});

describe("no acknowledged write is lost, and everything gets well again", () => {
  it(`in each of ${stories} stories`, async () => {
    const gtids = new GtidSets();
    const failed: string[] = [];
    for (let seed = 1; seed <= stories; seed++) {
      const { violation } = await simulate({ seed, subject, gtids });
      if (violation !== undefined) failed.push(`seed ${seed}: ${violation}`);
    }
    expect(failed).toEqual([]);
  }, 900_000);
});
