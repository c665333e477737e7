import { describe, expect, it } from "vitest";
import { GtidSets } from "../gtids.ts";
import { simulate } from "../simulate.ts";
import { mutants } from "./mutants.ts";

/** Stories in which a bug has to show. */
const limit = 1_500;

describe("a planted bug is found", () => {
  it.each(mutants.map((mutant) => [`rule ${mutant.rule}: ${mutant.bug}`, mutant] as const))(
    "%s",
    async (_name, { subject, focus = [] }) => {
      const gtids = new GtidSets();
      let violation: string | undefined;
      for (let seed = 1; seed <= limit && violation === undefined; seed++) {
        ({ violation } = await simulate({ seed, subject, gtids, focus }));
      }
      expect(violation).toBeDefined();
    },
    600_000,
  );

  it("for every rule that the operator's decisions can break", () => {
    const rules = new Set(mutants.map(({ rule }) => rule));
    expect([...rules].sort((one, other) => Number(one) - Number(other))).toEqual([
      "1",
      "2",
      "3",
      "4",
      "5",
      "6",
      "7",
      "8",
      "9",
      "10",
      "11",
      "13",
      "14",
    ]);
  });
});
