import * as fc from "fast-check";
import { expect, it } from "vitest";
import { checkLeaseTimes, defaultLeaseTimes, formatMicroTime, heldSpec, releasedSpec } from "./record.ts";

const now = Date.UTC(2026, 0, 1);

it("writes times with exactly six digits after the point", () => {
  expect(formatMicroTime(now)).toBe("2026-01-01T00:00:00.000000Z");
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date("9999-01-01"), noInvalidDate: true }), (date) => {
      expect(formatMicroTime(date.getTime())).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      expect(Date.parse(formatMicroTime(date.getTime()))).toBe(date.getTime());
    }),
  );
});

it("takes, renews and releases a lease as client-go does", () => {
  const taken = heldSpec(undefined, "a", 15_000, now);
  expect(taken).toEqual({
    holderIdentity: "a",
    leaseDurationSeconds: 15,
    acquireTime: "2026-01-01T00:00:00.000000Z",
    renewTime: "2026-01-01T00:00:00.000000Z",
    leaseTransitions: 0,
  });
  const renewed = heldSpec(taken, "a", 15_000, now + 2000);
  expect(renewed).toEqual({ ...taken, renewTime: "2026-01-01T00:00:02.000000Z" });
  const released = releasedSpec(renewed, now + 4000);
  expect(released).toEqual({
    holderIdentity: "",
    leaseDurationSeconds: 1,
    acquireTime: "2026-01-01T00:00:04.000000Z",
    renewTime: "2026-01-01T00:00:04.000000Z",
    leaseTransitions: 0,
  });
  expect(heldSpec(released, "b", 15_000, now + 5000)).toMatchObject({ holderIdentity: "b", leaseTransitions: 1 });
});

it("refuses times that would let two lead", () => {
  const check = (times: object) => (): void => checkLeaseTimes({ ...defaultLeaseTimes, ...times });
  expect(check({})).not.toThrow();
  expect(check({ leaseDuration: 14_500 })).toThrow("whole seconds");
  expect(check({ renewDeadline: 15_000 })).toThrow("shorter than leaseDuration");
  expect(check({ retryPeriod: 9_000 })).toThrow("well below renewDeadline");
});
