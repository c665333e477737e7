/** For tests: sets of GTIDs that overlap a lot. */
import * as fc from "fast-check";

export const servers = [
  "3e11fa47-71ca-11e1-9e33-c80aa9429562",
  "3e11fa47-71ca-11e1-9e33-c80aa9429563",
  "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
] as const;

const number = fc.integer({ min: 1, max: 40 });
const interval = fc.oneof(
  number.map(String),
  fc.tuple(number, number).map(([one, other]) => `${Math.min(one, other)}-${Math.max(one, other)}`),
);
const intervals = fc.array(interval, { minLength: 1, maxLength: 5 }).map((list) => list.join(":"));
const tagged = fc.tuple(fc.constantFrom("blue", "_x1"), intervals).map(([tag, list]) => `${tag}:${list}`);

/** As text in some order, with overlaps, as users write it. */
export const gtidSetText: fc.Arbitrary<string> = fc
  .array(
    fc
      .tuple(fc.constantFrom(...servers), intervals, fc.option(tagged, { nil: undefined, freq: 3 }))
      .map(([server, plain, more]) => [server, plain, ...(more === undefined ? [] : [more])].join(":")),
    { maxLength: 4 },
  )
  .map((parts) => parts.join(",\n"));
