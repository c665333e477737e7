import { describe, expect, it } from "vitest";
import type { PersistentVolumeClaim } from "@moco-ts/kube";
import { gibibyte, testClaim, testUsage } from "../testing/objects.ts";
import { Memory } from "./memory.ts";

const minute = 60_000;
const key = "default/data";

/** Rounds a minute apart, which see one claim. */
class Story {
  readonly memory = new Memory();
  now = 0;

  round(claim: PersistentVolumeClaim | undefined, capacity?: number, resizing = false) {
    this.now += minute;
    const usage = capacity === undefined ? undefined : testUsage({ capacity });
    const recollection = claim && this.memory.recall(key, claim, usage, this.now);
    if (claim) this.memory.remember(key, { kind: "wait", reason: "", resizing }, this.now);
    return { ...recollection, forgotten: this.memory.endRound(this.now) };
  }
}

const ten = testClaim({ request: "10Gi" });
const twenty = testClaim({ request: "20Gi" });

describe("numbers from before a resize", () => {
  it("are those with the size that the file system had, until that changes", () => {
    const story = new Story();
    expect(story.round(ten, 10 * gibibyte).staleCapacity).toBeUndefined();
    expect(story.round(twenty, 10 * gibibyte).staleCapacity).toBe(10 * gibibyte);
    expect(story.round(twenty, 10 * gibibyte).staleCapacity).toBe(10 * gibibyte);
    expect(story.round(twenty, 20 * gibibyte).staleCapacity).toBeUndefined();
    expect(story.round(twenty, 20 * gibibyte).staleCapacity).toBeUndefined();
  });

  it("are not those that changed with the claim", () => {
    const story = new Story();
    story.round(ten, 10 * gibibyte);
    expect(story.round(twenty, 20 * gibibyte).staleCapacity).toBeUndefined();
  });

  it("are known although the statistics were away for a while", () => {
    const story = new Story();
    story.round(ten, 10 * gibibyte);
    story.round(twenty, undefined);
    expect(story.round(twenty, 10 * gibibyte).staleCapacity).toBe(10 * gibibyte);
  });

  it("are not known of a claim that is seen for the first time", () => {
    expect(new Story().round(twenty, 10 * gibibyte)).toMatchObject({ staleCapacity: undefined, justChanged: false });
  });
});

it("a size that changes is new for one round", () => {
  const story = new Story();
  story.round(ten, 10 * gibibyte);
  expect(story.round(ten, 11 * gibibyte).justChanged).toBe(true);
  expect(story.round(ten, 11 * gibibyte).justChanged).toBe(false);
});

it("waiting begins with the first round and ends with the wait", () => {
  const story = new Story();
  story.round(ten, undefined, true);
  const since = story.now;
  expect(story.round(ten, undefined, true).waitingSince).toBe(since);
  expect(story.round(ten, undefined, false).waitingSince).toBe(since);
  expect(story.round(ten, undefined, true).waitingSince).toBeUndefined();
});

describe("a claim that is gone", () => {
  const namesake = { ...ten, metadata: { ...ten.metadata, uid: "another" } };

  it("is told of once, and its namesake is known to be one", () => {
    const story = new Story();
    expect(story.round(ten).forgotten).toEqual([]);
    expect(story.round(undefined).forgotten).toEqual([key]);
    const gone = story.now;
    expect(story.round(undefined).forgotten).toEqual([]);
    expect(story.round(namesake).namesakeSeenAt).toBe(gone);
  });

  it("may be replaced between two rounds", () => {
    const story = new Story();
    story.round(ten, 10 * gibibyte, true);
    expect(story.round(namesake, 10 * gibibyte)).toMatchObject({
      namesakeSeenAt: story.now,
      waitingSince: undefined,
      justChanged: false,
    });
  });

  it("may come back as the same, and is forgotten in the end", () => {
    const story = new Story();
    story.round(ten);
    story.round(undefined);
    expect(story.round(ten).namesakeSeenAt).toBeUndefined();
    for (let round = 0; round < 15; round++) story.round(undefined);
    expect(story.round(namesake).namesakeSeenAt).toBeUndefined();
  });
});
