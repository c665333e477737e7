import { describe, expect, it } from "vitest";
import { DeadlineError, isAbort, raceAbort, withDeadline } from "./abort.ts";
import { sleep } from "./clock.ts";
import { SimulatedClock } from "./simulated-clock.ts";

describe("SimulatedClock", () => {
  it("fires timers in the order of their times, at their times", async () => {
    const clock = new SimulatedClock(0);
    const fired: [string, number][] = [];
    clock.schedule(200, () => fired.push(["late", clock.now()]));
    clock.schedule(100, () => fired.push(["early", clock.now()]));
    await clock.advance(150);
    expect(fired).toEqual([["early", 100]]);
    await clock.advance(50);
    expect(fired).toEqual([
      ["early", 100],
      ["late", 200],
    ]);
  });

  it("shows a frozen process only that time has passed", async () => {
    const clock = new SimulatedClock(0);
    let fired = false;
    clock.schedule(10, () => (fired = true));
    clock.freeze(1000);
    expect([fired, clock.monotonic()]).toEqual([false, 1000]);
    await clock.advance(0);
    expect(fired).toBe(true);
  });
});

describe("sleep", () => {
  it("ends at once when aborted and leaves no timer behind", async () => {
    const clock = new SimulatedClock();
    const controller = new AbortController();
    const sleeping = sleep(clock, 1000, controller.signal);
    controller.abort(new Error("stop"));
    await expect(sleeping).rejects.toThrow("stop");
    expect(clock.pending).toBe(0);
  });
});

describe("withDeadline", () => {
  it("rejects at the deadline even if the operation never listens", async () => {
    const clock = new SimulatedClock();
    const frozen = withDeadline({ what: "greeting", milliseconds: 500, clock }, () => new Promise<void>(() => {}));
    const outcome = expect(frozen).rejects.toThrow(new DeadlineError("greeting", 500));
    await clock.advance(500);
    await outcome;
  });

  it("leaves neither timer nor listener after success", async () => {
    const clock = new SimulatedClock();
    const parent = new AbortController();
    await expect(
      withDeadline({ what: "x", milliseconds: 500, clock, signal: parent.signal }, async () => 42),
    ).resolves.toBe(42);
    expect(clock.pending).toBe(0);
  });

  it("passes the parent's abort on as its reason", async () => {
    const parent = new AbortController();
    const waiting = withDeadline(
      { what: "x", milliseconds: 500, clock: new SimulatedClock(), signal: parent.signal },
      (signal) => raceAbort(new Promise<void>(() => {}), signal),
    );
    parent.abort(new Error("lease lost"));
    const error: unknown = await waiting.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: "lease lost" });
    expect(isAbort(error, parent.signal)).toBe(true);
  });
});
