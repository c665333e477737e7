import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ResultSplitter } from "./result-splitter.ts";

/** Takes a text in chunks that end at the given places. */
function split(text: string, ...cuts: number[]) {
  const bytes = Buffer.from(text);
  const splitter = new ResultSplitter();
  const series: unknown[] = [];
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((one, other) => one - other);
  ends.reduce((start, end) => {
    splitter.take(bytes.subarray(start, end), (each) =>
      series.push(JSON.parse(Buffer.from(each, "latin1").toString())),
    );
    return end;
  }, 0);
  splitter.finish();
  return { series, envelope: splitter.envelope };
}

const value = fc.tuple(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string());
const series = fc.record({ metric: fc.dictionary(fc.string(), fc.string()), value });

test("series come out as they went in, wherever the text is cut and however it is written", () => {
  const cuts = fc.array(fc.nat(), { maxLength: 5 });
  fc.assert(
    fc.property(fc.array(series, { maxLength: 5 }), cuts, fc.constantFrom(0, 1), (result, cuts, indent) => {
      const answer = { status: "success", data: { resultType: "vector", result } };
      const parts = split(JSON.stringify(answer, undefined, indent), ...cuts);
      expect(parts.series).toEqual(JSON.parse(JSON.stringify(result)));
      expect(JSON.parse(parts.envelope)).toEqual({ ...answer, data: { ...answer.data, result: [] } });
    }),
  );
});

test("quotes, backslashes and braces in labels are no ends", () => {
  const metric = { a: '"}]', b: "\\", c: '\\"', d: "{[", e: "日本" };
  const text = JSON.stringify({ data: { result: [{ metric }, { metric }] } });
  for (let cut = 0; cut < Buffer.byteLength(text); cut++) {
    expect(split(text, cut).series).toEqual([{ metric }, { metric }]);
  }
});

test("what is no answer is left as it is", () => {
  for (const text of ["", "null", "[]", "<html>", '{"status":"error","error":"a \\"quoted\\" word"}']) {
    expect(split(text, 3)).toEqual({ series: [], envelope: text });
  }
});

test("an answer that never comes to a series is not kept for ever", () => {
  const splitter = new ResultSplitter();
  const chunk = Buffer.from(`"${"x".repeat(1 << 20)}`);
  expect(() => {
    for (let count = 0; count < 10; count++) splitter.take(chunk, () => undefined);
  }).toThrow("the answer makes no sense");
});
