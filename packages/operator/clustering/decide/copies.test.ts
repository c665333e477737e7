/** Clusters that copy another one. */
import { expect, test } from "vitest";
import { gtids, snapshot, uuids, type SnapshotChanges } from "../testing/snapshots.ts";
import { decide } from "./decide.ts";

const outside = { sourceHost: "mysql.example.com", retrieved: gtids("x:1-10") };
const state = { readOnly: true, superReadOnly: true, source: { enabled: false, active: false, acknowledgements: 1 } };
const data = { executed: gtids("x:1-10"), acknowledges: false };
const replica = { state: { ...data, replica: { retrieved: gtids("x:1-10") } } };
const changes: SnapshotChanges = {
  wanted: { intermediate: true },
  rest: { cloned: true },
  memory: { voters: [uuids[0]!], acknowledgements: 0, primaries: [uuids[0]!, ...gtids("x:1").servers].sort() },
  instances: { 0: { state: { ...state, ...data, replica: outside } }, 1: replica, 2: replica },
};

test("a copy is healthy when all follow", () => {
  expect(decide(snapshot(changes))).toMatchObject({ state: "Healthy", steps: [], perInstance: [] });
});

test("why a copy can't follow is told", () => {
  const receiveError = "source and replica have equal MySQL server ids";
  const cut = { ...outside, receiving: "no" as const, receiveError };
  const made = decide(
    snapshot({ ...changes, instances: { ...changes.instances, 0: { state: { ...state, ...data, replica: cut } } } }),
  );
  expect(made.steps).toEqual([{ kind: "follow-source", problem: receiveError }]);
  expect(made.reason).toBe(`instance 0 does not replicate (${receiveError})`);
});

test("nobody votes in a copy: who has left since could never be told from who is to be waited for", () => {
  const memory = { ...changes.memory, voters: [uuids[0]!, "gone"], deposed: ["gone"] };
  const { steps } = decide(snapshot({ ...changes, memory }));
  expect(steps).toMatchObject([{ kind: "remember", memory: { voters: [uuids[0]], deposed: [] } }]);
});

test("on its own, it is opened at once, and then others are let in to vote", () => {
  const { steps } = decide(snapshot({ ...changes, wanted: { intermediate: false } }));
  expect(steps.map(({ kind }) => kind)).toEqual(["prepare-primary", "open", "admit", "admit"]);
});
