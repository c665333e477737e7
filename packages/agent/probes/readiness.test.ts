import { describe, expect, test } from "vitest";
import { judge, type Observation, type ReadinessRules, type ReplicaObservation } from "./readiness.ts";

const rules: ReadinessRules = { maxDelay: 60_000, queueingWait: 60_000, waitEndsEarly: false };
const replica: ReplicaObservation = {
  receiverRunning: true,
  applierRunning: true,
  receiverError: 0,
  applierError: 0,
  delay: 0,
  allApplied: true,
  receiver: "40",
  heartbeats: 5,
  position: "binlog.000001:158",
};
const seen = (change: Partial<Observation>, replicaChange?: Partial<ReplicaObservation>): Observation => ({
  cloneState: undefined,
  readOnly: true,
  uptime: 1_000,
  replica: { ...replica, ...replicaChange },
  ...change,
});

describe("without knowing what was before", () => {
  test.each<[string, Observation, Partial<ReadinessRules>, number]>([
    ["a primary", seen({ readOnly: false, replica: undefined }), {}, 200],
    ["a primary during a clone", seen({ cloneState: "In Progress", readOnly: false }), {}, 503],
    ["a clone that failed", seen({ cloneState: "Failed" }), {}, 503],
    ["a clone that is complete", seen({ cloneState: "Completed" }), {}, 200],
    ["read-only and no replica", seen({ replica: undefined }), {}, 500],
    ["a replica", seen({}), {}, 200],
    ["its receiver stopped", seen({}, { receiverRunning: false }), {}, 503],
    ["its applier stopped", seen({}, { applierRunning: false }), {}, 503],
    ["its receiver in error", seen({}, { receiverError: 1236 }), {}, 503],
    ["its applier in error", seen({}, { applierError: 1062 }), {}, 503],
    ["late, but not too late", seen({}, { delay: 59_999 }), {}, 200],
    ["too late", seen({}, { delay: 60_000 }), {}, 503],
    ["late, if that does not matter", seen({}, { delay: 1e9 }), { maxDelay: 0 }, 200],
    ["stopped, even if being late does not matter", seen({}, { applierRunning: false }), { maxDelay: 0 }, 503],
    ["nothing received, just started", seen({}, { delay: undefined }), {}, 503],
    ["nothing received for a while", seen({ uptime: 60_000 }, { delay: undefined }), {}, 200],
    ["nothing received, if being late does not matter", seen({}, { delay: undefined }), { maxDelay: 0 }, 200],
    ["nothing received, and the first look at it", seen({}, { delay: undefined }), { waitEndsEarly: true }, 503],
  ])("%s", (_, now, change, status) => {
    expect(judge(now, undefined, { ...rules, ...change }).status).toBe(status);
  });
});

describe("the wait for a first transaction", () => {
  const before = seen({}, { delay: undefined, heartbeats: 4 });
  const early = { ...rules, waitEndsEarly: true };
  const answer = (change: Partial<ReplicaObservation>, use = early): number =>
    judge(seen({}, { delay: undefined, ...change }), before, use).status;

  test("ends when a heartbeat came and the source's position stayed: it has nothing to send", () => {
    expect(answer({})).toBe(200);
  });

  test("does not end early in Pods of version 1", () => {
    expect(answer({}, rules)).toBe(503);
  });

  test.each<[string, Partial<ReplicaObservation>]>([
    ["no heartbeat", { heartbeats: 4 }],
    ["the source passes over what the replica has", { position: "binlog.000001:900" }],
    ["the receiver started anew, perhaps with another source", { receiver: "41" }],
    ["not all is applied", { allApplied: false }],
  ])("goes on: %s", (_, change) => {
    expect(answer(change)).toBe(503);
  });
});

test("the text says what is wrong", () => {
  expect(judge(seen({}, { delay: 90_000 }), undefined, rules).text).toBe(
    "the replica is 1m30s behind, and may be 1m0s",
  );
  expect(judge(seen({}, { applierRunning: false, applierError: 1062 }), undefined, rules).text).toBe(
    "replication does not run: receiver runs, applier is stopped with error 1062",
  );
});
