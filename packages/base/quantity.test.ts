import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareQuantities, formatBytes, parseBytes, parseQuantity } from "./quantity.ts";

describe("quantities", () => {
  it.each([
    ["0", 0n],
    ["1", 1n],
    ["1e3", 1000n],
    ["1E3", 1000n],
    ["12e-1", 2n],
    ["1500m", 2n],
    ["1.5Ti", 1_649_267_441_664n],
    [".5Gi", 536_870_912n],
    ["5.", 5n],
    ["+1k", 1000n],
    ["1E", 10n ** 18n],
    ["8Ei", 2n ** 63n],
    ["1n", 1n],
    ["-1Ki", -1024n],
  ])("reads %s as %s bytes", (text, bytes) => {
    expect(parseBytes(text)).toBe(bytes);
  });

  it.each(["", " ", "Gi", "1GiB", "1 Gi", "1.2.3", "0x10", "1K", "e3", "--1", "NaN", "1e9999"])(
    "refuses %j and says what a quantity looks like",
    (text) => {
      expect(() => parseQuantity(text)).toThrow(/not a quantity: .*10Gi/);
    },
  );

  it("compares across notations", () => {
    expect(compareQuantities("1000m", "1")).toBe(0);
    expect(compareQuantities("0.5Gi", "512Mi")).toBe(0);
    expect(compareQuantities("1G", "1Gi")).toBe(-1);
  });

  it("formats any number of bytes so that it reads back the same", () => {
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 70n), 2n ** 70n), (bytes) => {
        expect(parseBytes(formatBytes(bytes))).toBe(bytes);
      }),
    );
    expect(formatBytes(3n * 2n ** 30n)).toBe("3Gi");
    expect(formatBytes(1536n * 2n ** 20n)).toBe("1536Mi");
  });
});
