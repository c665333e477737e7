import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseSchedule } from "./schedule.ts";

const after = "2026-03-10T12:34:56Z";

test.each([
  ["*/5 * * * *", "2026-03-10T12:35:00.000Z"],
  ["34 * * * *", "2026-03-10T13:34:00.000Z"],
  ["35/10 * * * *", "2026-03-10T12:35:00.000Z"],
  ["0 3 * * *", "2026-03-11T03:00:00.000Z"],
  ["0 3,,13-15 * * *", "2026-03-10T13:00:00.000Z"],
  ["0 0 * * SUN", "2026-03-15T00:00:00.000Z"],
  ["0 0 * * mon-fri/2", "2026-03-11T00:00:00.000Z"],
  ["0 0 1 jan ?", "2027-01-01T00:00:00.000Z"],
  ["0 0 29 2 *", "2028-02-29T00:00:00.000Z"],
  ["59 23 31 12 *", "2026-12-31T23:59:00.000Z"],
  // Both kinds of days are given: either will do. A step makes a restriction of the star.
  ["0 0 13 * fri", "2026-03-13T00:00:00.000Z"],
  ["0 0 12 * fri", "2026-03-12T00:00:00.000Z"],
  ["0 0 */20 * fri", "2026-03-13T00:00:00.000Z"],
  ["0 0 * * fri", "2026-03-13T00:00:00.000Z"],
  ["@hourly", "2026-03-10T13:00:00.000Z"],
  ["@daily", "2026-03-11T00:00:00.000Z"],
  ["@midnight", "2026-03-11T00:00:00.000Z"],
  ["@weekly", "2026-03-15T00:00:00.000Z"],
  ["@monthly", "2026-04-01T00:00:00.000Z"],
  ["@yearly", "2027-01-01T00:00:00.000Z"],
  ["@annually", "2027-01-01T00:00:00.000Z"],
  ["@every 90s", "2026-03-10T12:36:26.000Z"],
  ["@every 1h30m", "2026-03-10T14:04:56.000Z"],
  ["@every 10ms", "2026-03-10T12:34:57.000Z"],
  ["  0   4 *  * * ", "2026-03-11T04:00:00.000Z"],
  ["TZ=Asia/Tokyo 0 3 * * *", "2026-03-10T18:00:00.000Z"],
  ["CRON_TZ=America/New_York @daily", "2026-03-11T04:00:00.000Z"],
  ["TZ=Asia/Kolkata 15 6 * * *", "2026-03-11T00:45:00.000Z"],
])("after noon of 10 March 2026, a Tuesday, %s is due at %s", (text, expected) => {
  const zoned = text.includes("TZ=") || text.startsWith("@every") ? text : `TZ=UTC ${text.trim()}`;
  expect(parseSchedule(zoned).next(new Date(after))!.toISOString()).toBe(expected);
});

test("without a zone it is the time of the process", () => {
  const next = parseSchedule("30 4 * * *").next(new Date(after))!;
  expect([next.getHours(), next.getMinutes()]).toEqual([4, 30]);
});

test("what never comes is found out soon", () => {
  const started = performance.now();
  expect(parseSchedule("TZ=Europe/Berlin 0 0 31 2 *").next(new Date(after))).toBeUndefined();
  expect(performance.now() - started).toBeLessThan(5_000);
});

test("hours that clocks leave out are left out, hours that come twice count twice", () => {
  const due = parseSchedule("TZ=Europe/Berlin 30 2 * * *");
  const spring = due.next(new Date("2026-03-28T12:00:00Z"))!;
  expect(spring.toISOString()).toBe("2026-03-30T00:30:00.000Z");
  const autumn = due.next(new Date("2026-10-24T12:00:00Z"))!;
  expect(autumn.toISOString()).toBe("2026-10-25T00:30:00.000Z");
  expect(due.next(autumn)!.toISOString()).toBe("2026-10-25T01:30:00.000Z");
});

describe("what is no schedule is refused with the part that is wrong", () => {
  test.each([
    ["", "it is empty"],
    ["TZ=UTC ", "expected 5 fields"],
    ["* * * *", "expected 5 fields, found 4: * * * *"],
    ["* * * * * *", "expected 5 fields, found 6"],
    ["60 * * * *", "minute 60 (0 to 59)"],
    ["* 24 * * *", "hour 24 (0 to 23)"],
    ["* * 0 * *", "day of month 0 (1 to 31)"],
    ["* * * 13 *", "month 13 (1 to 12)"],
    ["* * * * 7", "day of week 7 (0 to 6)"],
    ["* * * foo *", "month foo"],
    ["5-1 * * * *", "minute 5-1"],
    ["1-2-3 * * * *", "minute 1-2-3"],
    ["*/0 * * * *", "minute */0"],
    ["*/x * * * *", "minute */x"],
    ["1/2/3 * * * *", "minute 1/2/3"],
    [", * * * *", "minute ,"],
    ["-1 * * * *", "minute -1"],
    ["@fortnightly", "there is no @fortnightly"],
    ["@every", "there is no @every"],
    ["@every soon", "@every soon"],
    ["TZ=Mars/Olympus * * * * *", "there is no time zone Mars/Olympus"],
  ])("%s", (text, problem) => {
    expect(() => parseSchedule(text)).toThrow(expect.objectContaining({ code: "SCHEDULE_INVALID" }));
    expect(() => parseSchedule(text)).toThrow(problem);
  });
});

test("the next time is the first minute that matches, found by looking at every minute", () => {
  const number = (minimum: number, maximum: number) => fc.integer({ min: minimum, max: maximum }).map(String);
  const field = (minimum: number, maximum: number) =>
    fc.oneof(fc.constant("*"), fc.constant("*/2"), number(minimum, maximum));
  const expression = fc.tuple(field(0, 59), field(0, 23), field(1, 28), fc.constant("*"), field(0, 6));
  fc.assert(
    fc.property(expression, fc.integer({ min: 0, max: 4e12 }), (parts, start) => {
      const [minutes, hours, days, , weekdays] = parts;
      const matches = (text: string, value: number, minimum: number): boolean =>
        text === "*" || (text === "*/2" ? (value - minimum) % 2 === 0 : Number(text) === value);
      const next = parseSchedule(`TZ=UTC ${parts.join(" ")}`).next(new Date(start))!;
      let at = Math.floor(start / 60_000) * 60_000;
      for (;;) {
        at += 60_000;
        const date = new Date(at);
        const day = matches(days, date.getUTCDate(), 1);
        const weekday = matches(weekdays, date.getUTCDay(), 0);
        const isDay = days === "*" || weekdays === "*" ? day && weekday : day || weekday;
        if (isDay && matches(hours, date.getUTCHours(), 0) && matches(minutes, date.getUTCMinutes(), 0)) break;
      }
      expect(next.getTime()).toBe(at);
    }),
    { numRuns: 300 },
  );
});

test("no text makes the parser do anything but answer or throw a coded error", () => {
  const outcome = (text: string): unknown => {
    try {
      parseSchedule(text).next(new Date(0));
      return "answered";
    } catch (error) {
      return (error as { code?: string }).code;
    }
  };
  const text = fc.oneof(fc.string(), fc.stringMatching(/^[@*?,\-/0-9a-z =]{0,30}$/));
  fc.assert(
    fc.property(text, (each) => {
      expect(["answered", "SCHEDULE_INVALID"]).toContain(outcome(each));
    }),
  );
});
