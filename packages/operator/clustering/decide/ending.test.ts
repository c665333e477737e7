import { describe, expect, test } from "vitest";
import { snapshot, type Changes } from "../testing/snapshots.ts";
import { decide } from "./decide.ts";

/** Replicas that the primary has lost: none of them can take its place. */
const away = { state: { replica: { receiving: "connecting", heardAgo: 9_000 } } } as const;
const source = { receivers: [] };
const closed = { readOnly: true, superReadOnly: true, source };

function steps(primary: Changes, others: Changes = away): string[] {
  const instances = { 0: primary, 1: others, 2: others };
  return decide(snapshot({ instances })).steps.map(({ kind }) => kind);
}

describe("a primary that is about to end, and has no successor,", () => {
  const pod = { terminating: true };

  test("is closed at once if its Pod is gone: nobody knows how long it has", () => {
    expect(steps({ pod: null, state: { source } })).toEqual(["close"]);
  });
  test("is closed when its commits hang: a shutdown would tell clients that they are done", () => {
    expect(steps({ pod, state: { source }, ending: 2_000, waiting: 1_500 })).toEqual(["close"]);
  });
  test("is closed before its time is up", () => {
    expect(steps({ pod, state: { source }, ending: 10_500 })).toEqual(["close"]);
  });
  test("serves for a while as long as commits are acknowledged", () => {
    expect(steps({ pod, state: { source }, ending: 5_000 })).toEqual([]);
  });
  test("is not opened again", () => {
    expect(steps({ pod, state: closed, ending: 10_500 })).toEqual([]);
    expect(steps({ pod, state: closed, ending: 5_000 })).toEqual(["open"]);
  });
  test("hands over as soon as there is one", () => {
    expect(steps({ pod, ending: 10_500, waiting: 1_500 }, {})).toEqual(["switchover"]);
  });
});

test("an instance that is alone serves to its end", () => {
  const made = decide(snapshot({ replicas: 1, instances: { 0: { pod: { terminating: true }, ending: 10_500 } } }));
  expect(made.steps).toEqual([]);
});
