import { SimulatedClock } from "@moco-ts/base";
import { describe, expect, test } from "vitest";
import { Pace } from "./pace.ts";

function pace({ interval = 0, budget = 0 }) {
  const clock = new SimulatedClock();
  const rolling = new Set<string>();
  const woken: string[] = [];
  return {
    clock,
    rolling,
    woken,
    pace: new Pace({ interval, budget, rolling: () => rolling, wake: (key) => woken.push(key), clock }),
  };
}

test("without flags everybody goes at once", () => {
  const { pace: free } = pace({});
  for (const key of ["shop/a", "shop/b", "shop/c"]) expect(free.ask(key)).toMatchObject({ granted: true });
});

describe("--partition-update-interval", () => {
  test("is the time between two steps, whichever clusters they are of", async () => {
    const { pace: slow, clock } = pace({ interval: 60_000 });
    expect(slow.ask("shop/a")).toMatchObject({ granted: true });
    await clock.advance(20_000);
    const refused = { granted: false, after: 40_000, reason: "--partition-update-interval is not over" };
    expect(slow.ask("shop/b")).toEqual(refused);
    expect(slow.ask("shop/a")).toEqual(refused);
    await clock.advance(40_000);
    expect(slow.ask("shop/b")).toMatchObject({ granted: true });
  });

  test("is not used up by a step that was not taken", () => {
    const { pace: slow } = pace({ interval: 60_000 });
    const permission = slow.ask("shop/a");
    if (permission.granted) permission.giveBack();
    expect(slow.ask("shop/b")).toMatchObject({ granted: true });
  });
});

describe("--max-concurrent-rollouts", () => {
  test("lets those go on that have begun, and names them to those that wait", () => {
    const { pace: narrow, rolling } = pace({ budget: 1 });
    expect(narrow.ask("shop/a")).toMatchObject({ granted: true });
    expect(narrow.ask("shop/b")).toMatchObject({
      granted: false,
      reason: "--max-concurrent-rollouts is used up by shop/a",
    });
    rolling.add("shop/a");
    narrow.see("shop/a", true);
    expect(narrow.ask("shop/b")).toMatchObject({ granted: false });
    expect(narrow.ask("shop/a")).toMatchObject({ granted: true });
  });

  test("wakes those that wait when one is done", () => {
    const { pace: narrow, rolling, woken } = pace({ budget: 2 });
    for (const key of ["shop/a", "shop/b"]) {
      narrow.ask(key);
      rolling.add(key);
      narrow.see(key, true);
    }
    expect(narrow.ask("shop/c")).toMatchObject({ granted: false });
    narrow.see("shop/idle", false);
    expect(woken).toEqual([]);
    rolling.delete("shop/a");
    narrow.see("shop/a", false);
    expect(woken).toEqual(["shop/c"]);
    expect(narrow.ask("shop/c")).toMatchObject({ granted: true });
  });

  test("counts what another process has begun", () => {
    const { pace: narrow, rolling } = pace({ budget: 1 });
    rolling.add("shop/a");
    expect(narrow.ask("shop/b")).toMatchObject({ granted: false, after: 10_000 });
  });

  test("is not used up by a rollout that did not begin, and stays used by one that did", () => {
    const { pace: narrow } = pace({ budget: 1 });
    const first = narrow.ask("shop/a");
    if (first.granted) first.giveBack();
    expect(narrow.ask("shop/b")).toMatchObject({ granted: true });
    const second = narrow.ask("shop/b");
    if (second.granted) second.giveBack();
    expect(narrow.ask("shop/a")).toMatchObject({ granted: false });
  });
});
