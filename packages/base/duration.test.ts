import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatDuration, parseDuration } from "./duration.ts";

describe("durations", () => {
  it.each([
    ["0", 0],
    ["300ms", 300],
    ["1m30s", 90_000],
    ["1h", 3_600_000],
    ["1.5s", 1500],
    ["-2s", -2000],
    ["100us", 0.1],
  ])("reads %s", (text, milliseconds) => {
    expect(parseDuration(text)).toBeCloseTo(milliseconds);
  });

  it.each(["", "1", "s", "1d", "1s ago", "-"])("refuses %j", (text) => {
    expect(() => parseDuration(text)).toThrow(/not a duration/);
  });

  it("prints what it reads", () => {
    expect(formatDuration(90_000)).toBe("1m30s");
    expect(formatDuration(3_600_000)).toBe("1h0m0s");
    fc.assert(
      fc.property(fc.integer({ min: -1e9, max: 1e9 }), (milliseconds) => {
        expect(parseDuration(formatDuration(milliseconds))).toBeCloseTo(milliseconds, 3);
      }),
    );
  });
});
