import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decode, encode, integerOf, messageOf, textOf } from "./protobuf.ts";

test("what was written is read, in messages inside of messages too", { timeout: 30_000 }, () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary" }),
      fc.integer(),
      fc.array(fc.string(), { maxLength: 3 }),
      (text, number, more) => {
        const bytes = encode({
          1: text,
          2: number,
          7: [{ 1: number, 2: text }],
          100: more.map((each) => ({ 1: each })),
        });
        const message = decode(bytes);
        expect(textOf(message, 1)).toBe(Buffer.from(text, "utf8").toString("utf8"));
        expect(integerOf(message, 2)).toBe(number);
        expect(integerOf(messageOf(message, 7)!, 1)).toBe(number);
        expect(message.get(100)?.length ?? 0).toBe(more.length);
      },
    ),
  );
});

function outcome(bytes: Uint8Array): string {
  try {
    decode(bytes);
    return "read";
  } catch (error) {
    return (error as Error).message;
  }
}

test("whatever bytes come, they are read or refused", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      expect(outcome(bytes)).toMatch(/^read$|Protocol Buffers message/);
    }),
  );
});

describe("bytes that the format's documentation gives", () => {
  test.each([
    ["089601", 1, 150],
    ["08feffffffffffffffff01", 1, -2],
  ])("%s is field %i with %i", (hex, field, value) => {
    expect(integerOf(decode(Buffer.from(hex, "hex")), field)).toBe(value);
  });

  test("of a field that comes twice, the last one counts; missing ones are empty", () => {
    const message = decode(Buffer.from("120774657374696e671201 78".replace(" ", ""), "hex"));
    expect(textOf(message, 2)).toBe("x");
    expect(textOf(message, 3)).toBe("");
    expect(integerOf(message, 3)).toBe(0);
    expect(messageOf(message, 3)).toBeUndefined();
  });
});
