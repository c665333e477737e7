import { describe, expect, it } from "vitest";
import type { PersistentVolumeClaimCondition } from "@moco-ts/kube";
import { gibibyte, testClaim, testClass, testRules, testUsage, type ClaimOptions } from "../testing/objects.ts";
import { decide, type Rules } from "./decide.ts";
import type { Plan } from "./plan.ts";
import type { Snapshot } from "./snapshot.ts";

const now = Date.UTC(2026, 0, 1);
const minute = 60_000;
const full = testUsage({ available: 0.5 * gibibyte });

function plan(options: ClaimOptions = {}, snapshot: Partial<Snapshot> = {}, rules: Partial<Rules> = {}): Plan {
  const given = { claim: testClaim(options), storageClass: testClass(), usage: full, ...snapshot };
  return decide(given, { ...testRules, ...rules }, now);
}

function request(options: ClaimOptions = {}, snapshot: Partial<Snapshot> = {}): number | undefined {
  const result = plan(options, snapshot);
  return result.kind === "resize" ? Number(result.request) / gibibyte : undefined;
}

describe("which claims are managed", () => {
  it("those of classes that say so", () => {
    expect(plan({}, { storageClass: testClass({ enabled: undefined }) })).toMatchObject({
      kind: "ignore",
      reason: 'its StorageClass lacks the annotation resize.topolvm.io/enabled: "true"',
    });
    expect(plan({}, { storageClass: testClass({ enabled: "True" }) })).toMatchObject({ kind: "ignore" });
    expect(plan({}, { storageClass: testClass() })).toMatchObject({ kind: "resize" });
  });

  it("those of all classes if the annotation is not asked for, but of a class that exists", () => {
    const storageClass = testClass({ enabled: undefined });
    expect(plan({}, { storageClass }, { needEnabled: false })).toMatchObject({ kind: "resize" });
    expect(plan({}, { storageClass: undefined }, { needEnabled: false })).toMatchObject({ kind: "ignore" });
  });

  it.each([undefined, "", "0", "0Gi", "0.0"])("those that have a limit, which %j is not", (storage_limit) => {
    expect(plan({ annotations: { storage_limit } })).toMatchObject({ kind: "ignore" });
  });

  it("those with a file system", () => {
    expect(plan({ volumeMode: "Block" })).toMatchObject({ kind: "ignore", reason: "its volume has no file system" });
    expect(plan({ volumeMode: "Filesystem" })).toMatchObject({ kind: "resize" });
  });

  it.each(["Pending", "Lost", undefined])("those that are bound, which %s is not", (phase) => {
    expect(plan({ status: { phase: phase as string } })).toMatchObject({ kind: "ignore" });
  });

  it("those that stay", () => {
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    expect(plan({ deletionTimestamp })).toEqual({ kind: "ignore", reason: "it is being deleted" });
  });
});

describe("when a volume grows", () => {
  it("with less than 10 % of its bytes available", () => {
    expect(plan({}, { usage: testUsage({ available: gibibyte }) })).toMatchObject({ kind: "keep" });
    expect(plan({}, { usage: testUsage({ available: gibibyte - 1 }) })).toMatchObject({ kind: "resize" });
  });

  it("with less than 10 % of its inodes free", () => {
    expect(plan({}, { usage: testUsage({ inodesFree: 100 }) })).toMatchObject({ kind: "keep" });
    expect(plan({}, { usage: testUsage({ inodesFree: 99 }) })).toMatchObject({
      kind: "resize",
      reason: "99 inodes (9.9%) are free, less than 100",
    });
  });

  it.each([
    ["20%", 2 * gibibyte],
    ["12.5%", 1.25 * gibibyte],
    ["1e1%", gibibyte],
    ["3Gi", 3 * gibibyte],
    ["1e9", 1e9],
    ["1500M", 1.5e9],
    ["0.5Gi", 0.5 * gibibyte],
  ])("by a threshold of %s", (threshold, bytes) => {
    const annotations = { threshold };
    expect(plan({ annotations }, { usage: testUsage({ available: bytes }) })).toMatchObject({ kind: "keep" });
    expect(plan({ annotations }, { usage: testUsage({ available: bytes - 1 }) })).toMatchObject({ kind: "resize" });
  });

  it("by a share of what the kubelet sees, not of what was asked for", () => {
    const usage = testUsage({ capacity: 8 * gibibyte, available: 0.875 * gibibyte });
    expect(plan({}, { usage })).toMatchObject({ kind: "keep" });
  });

  it("never by a threshold of 0%", () => {
    const annotations = { threshold: "0%", "inodes-threshold": "0%" };
    expect(plan({ annotations }, { usage: testUsage({ available: 0, inodesFree: 0 }) })).toMatchObject({
      kind: "keep",
    });
  });

  it.each([
    { inodes: undefined, inodesFree: undefined },
    { inodes: 0, inodesFree: 0 },
    { inodes: 1000, inodesFree: undefined },
    { inodes: undefined, inodesFree: 0 },
  ])("not for inodes that nobody counts: $inodes, $inodesFree", (inodes) => {
    expect(plan({}, { usage: testUsage(inodes) })).toMatchObject({ kind: "keep" });
    expect(plan({}, { usage: testUsage({ ...inodes, available: 0 }) })).toMatchObject({ kind: "resize" });
  });

  it("not without statistics", () => {
    expect(plan({}, { usage: undefined })).toMatchObject({
      kind: "keep",
      reason: "there are no statistics of its volume",
    });
  });
});

describe("how far a volume grows", () => {
  it.each([
    ["10%", 11],
    ["0.1%", 11],
    ["1", 11],
    ["15%", 12],
    ["100%", 20],
    ["20Gi", 30],
    ["20.5Gi", 31],
    ["1500m", 11],
    ["1e10", 20],
  ])("by %s, to the next whole GiB", (increase, expected) => {
    expect(request({ annotations: { increase } })).toBe(expected);
  });

  it("from what there is, also if less was asked for", () => {
    expect(request({ request: "5Gi", capacity: "10Gi" })).toBe(11);
    expect(request({ request: "300Mi", capacity: "300Mi" })).toBe(1);
  });

  it("up to its limit, exactly", () => {
    expect(request({ annotations: { storage_limit: "10.25Gi" } })).toBe(10.25);
    expect(plan({ annotations: { storage_limit: "11G" } })).toMatchObject({ kind: "resize", request: 11n * 10n ** 9n });
  });

  it("not at all in steps of 0", () => {
    expect(plan({ annotations: { increase: "0%" } })).toMatchObject({
      kind: "keep",
      reason: expect.stringContaining("increase is 0"),
    });
  });
});

describe("defaults of a class", () => {
  const storageClass = testClass({ storage_limit: "40Gi", threshold: "50%", increase: "10Gi", cooldown: "6h" });

  it("hold for claims that don't say otherwise", () => {
    const usage = testUsage({ available: 4 * gibibyte });
    expect(request({ annotations: { storage_limit: undefined } }, { storageClass, usage })).toBe(20);
    expect(request({ annotations: { storage_limit: undefined }, request: "35Gi" }, { storageClass })).toBe(40);
    expect(request({ annotations: { increase: "1Gi", threshold: "" } }, { storageClass, usage })).toBe(11);
    const resized = { "resized-at": new Date(now - 60 * minute).toISOString() };
    expect(plan({ annotations: resized }, { storageClass })).toMatchObject({ kind: "wait" });
    expect(plan({ annotations: { ...resized, cooldown: "0" } }, { storageClass })).toMatchObject({ kind: "resize" });
  });

  it("don't hold for a claim that is kept out", () => {
    expect(plan({ annotations: { storage_limit: "0" } }, { storageClass })).toMatchObject({ kind: "ignore" });
    expect(plan({ annotations: { storage_limit: "" } }, { storageClass })).toMatchObject({ kind: "ignore" });
  });
});

describe("annotations that can't be understood", () => {
  it.each([
    ["threshold", "0", "annotation value should be positive: 0"],
    ["threshold", "-1Gi", "annotation value should be positive: -1Gi"],
    ["threshold", "101%", "annotation value should between 0 and 100: 101%"],
    ["threshold", "-1%", "annotation value should between 0 and 100: -1%"],
    ["threshold", "NaN%", "not a number: NaN%"],
    ["threshold", "ten", 'not a quantity: "ten"'],
    ["inodes-threshold", "100", "annotation value should be in percent notation: 100"],
    ["inodes-threshold", "200%", "annotation value should between 0 and 100: 200%"],
    ["increase", "0", "annotation value should be positive: 0"],
    ["increase", "10 %", "not a number: 10 %"],
    ["increase", "1Gigs", 'not a quantity: "1Gigs"'],
    ["cooldown", "6 hours", 'not a duration: "6 hours"'],
    ["cooldown", "-6h", "annotation value should not be negative: -6h"],
    ["pre_capacity_bytes", "1Gi", "not a whole number of bytes"],
  ])("%s: %s leave the claim alone and name the annotation", (name, value, message) => {
    const result = plan({ annotations: { [name]: value } });
    expect(result).toMatchObject({ kind: "keep", problem: { name: "InvalidAnnotation" } });
    expect(result).not.toHaveProperty("counts");
    expect(result.reason).toContain(`resize.topolvm.io/${name}: "${value}": ${message}`);
  });

  it.each(["lots", "-5Gi", "10%"])("a limit of %s counts as a failed resize", (storage_limit) => {
    const result = plan({ annotations: { storage_limit } });
    expect(result).toMatchObject({ kind: "keep", counts: "failed", problem: { name: "InvalidAnnotation" } });
    expect(result.reason).toMatch(/^invalid storage limit: .*/);
  });

  it("say whether they are the class's", () => {
    const storageClass = testClass({ increase: "much" });
    expect(plan({}, { storageClass }).reason).toContain('increase: "much" (of the StorageClass): ');
  });

  it("don't matter for a claim that is not managed", () => {
    expect(plan({ annotations: { storage_limit: "0", threshold: "ten" } })).toMatchObject({ kind: "ignore" });
  });
});

describe("the limit", () => {
  it("is told every round, and is a problem if more is needed", () => {
    const annotations = { storage_limit: "10Gi" };
    expect(plan({ annotations }, { usage: testUsage() })).toEqual({
      kind: "keep",
      reason: "its limit of 10Gi is reached",
      counts: "limitReached",
    });
    expect(plan({ annotations })).toMatchObject({
      kind: "keep",
      counts: "limitReached",
      problem: {
        name: "LimitReached",
        message:
          "volume storage limit reached: 512Mi (5%) are available, less than 1Gi, and resize.topolvm.io/storage_limit is 10Gi",
      },
    });
  });

  it("is reached by volumes that are larger, too", () => {
    expect(plan({ annotations: { storage_limit: "5Gi" } })).toMatchObject({ counts: "limitReached" });
  });
});

describe("what can't grow", () => {
  it("because of its class is a problem at once", () => {
    expect(plan({}, { storageClass: testClass({}, false), usage: testUsage() })).toMatchObject({
      kind: "keep",
      problem: { name: "NotExpandable", message: expect.stringContaining("StorageClass standard") },
    });
  });

  it("because its size is not known yet waits", () => {
    for (const capacity of [{}, { storage: "0" }] as Record<string, string>[]) {
      expect(plan({ status: { capacity } })).toMatchObject({ kind: "wait", reason: "its capacity is not set yet" });
    }
  });
});

describe("while a resize is under way", () => {
  const growing = { request: "11Gi", capacity: "10Gi" };
  const condition = (type: string, message = ""): PersistentVolumeClaimCondition => ({ type, status: "True", message });

  it("nothing is asked for, by what the claim asks for and by its conditions", () => {
    expect(plan(growing)).toMatchObject({ kind: "wait", resizing: true });
    for (const type of ["Resizing", "FileSystemResizePending"]) {
      expect(plan({ status: { conditions: [condition(type)] } })).toMatchObject({ kind: "wait", resizing: true });
    }
    const conditions = [{ ...condition("Resizing"), status: "False" }];
    expect(plan({ status: { conditions } })).toMatchObject({ kind: "resize" });
  });

  it("a failure is told at once", () => {
    const conditions = [condition("Resizing"), condition("ControllerResizeError", "the pool is full")];
    expect(plan({ ...growing, status: { conditions } })).toMatchObject({
      kind: "wait",
      problem: { name: "ResizeFailed", message: "the volume could not be resized to 11Gi: the pool is full" },
    });
    const allocatedResourceStatuses = { storage: "NodeResizeInfeasible" };
    expect(plan({ ...growing, status: { allocatedResourceStatuses } })).toMatchObject({
      kind: "wait",
      problem: { name: "ResizeFailed" },
    });
  });

  it("one that does not end is told after a time, and why", () => {
    const conditions = [condition("FileSystemResizePending", "Waiting for user to (re-)start a pod")];
    const seen = (minutes: number): Partial<Snapshot> => ({ recollection: { waitingSince: now - minutes * minute } });
    expect(plan({ ...growing, status: { conditions } }, seen(14))).not.toHaveProperty("problem.name");
    expect(plan({ ...growing, status: { conditions } }, seen(20))).toMatchObject({
      kind: "wait",
      problem: {
        name: "ResizeStuck",
        message: "a resize has not ended for 20m0s: Waiting for user to (re-)start a pod",
      },
    });
  });

  it("one that does not end is tried again after a longer time, by asking for the same", () => {
    const recollection = { waitingSince: now - 61 * minute };
    expect(plan(growing, { recollection })).toMatchObject({
      kind: "resize",
      request: 11n * BigInt(gibibyte),
      problem: { name: "ResizeStuck" },
      resizing: true,
    });
    const annotations = { "resized-at": new Date(now - 59 * minute).toISOString() };
    expect(plan({ ...growing, annotations }, { recollection })).toMatchObject({ kind: "wait" });
  });

  it("conditions that stay behind don't keep a volume from growing for ever", () => {
    const options = { status: { conditions: [condition("Resizing")] } };
    expect(request(options, { recollection: { waitingSince: now - 61 * minute } })).toBe(11);
  });
});

describe("numbers that are old", () => {
  const before = (bytes: number) => ({ pre_capacity_bytes: String(bytes) });

  it("are told by the size that the file system had at the last resize", () => {
    expect(plan({ annotations: before(full.capacity) })).toMatchObject({
      kind: "wait",
      reason: expect.stringMatching(/^waiting for resizing/),
      resizing: true,
    });
    expect(plan({ annotations: before(full.capacity - 1) })).toMatchObject({ kind: "resize" });
    const annotations = { ...before(full.capacity), storage_limit: "10Gi" };
    expect(plan({ annotations })).not.toHaveProperty("counts");
  });

  it("are told by a size that was seen before the claim grew", () => {
    expect(plan({}, { recollection: { staleCapacity: full.capacity } })).toMatchObject({ kind: "wait" });
    expect(plan({}, { recollection: { staleCapacity: 1 } })).toMatchObject({ kind: "resize" });
  });

  it("are told by a size that has just changed, as the others may not have", () => {
    expect(plan({}, { recollection: { justChanged: true } })).toMatchObject({ kind: "wait" });
  });

  it("are told by a claim of the same name that was here a moment ago", () => {
    expect(plan({}, { recollection: { namesakeSeenAt: now - minute } })).toMatchObject({ kind: "wait" });
    expect(plan({}, { recollection: { namesakeSeenAt: now - 3 * minute } })).toMatchObject({ kind: "resize" });
  });

  it("are no reason to wait for ever, and a problem only for a volume that runs full", () => {
    const annotations = before(full.capacity);
    const seen = (minutes: number) => ({ waitingSince: now - minutes * minute });
    expect(plan({ annotations }, { recollection: seen(20) })).toMatchObject({
      kind: "wait",
      problem: { name: "ResizeStuck" },
    });
    expect(plan({ annotations }, { recollection: seen(20), usage: testUsage() })).not.toHaveProperty("problem.name");
    expect(request({ annotations }, { recollection: seen(61) })).toBe(11);
  });
});

describe("cooldown", () => {
  const resized = (minutes: number) => ({ "resized-at": new Date(now - minutes * minute).toISOString() });

  it("keeps a claim from growing again too soon", () => {
    expect(plan({ annotations: { cooldown: "6h", ...resized(60) } })).toMatchObject({
      kind: "wait",
      reason: "512Mi (5%) are available, less than 1Gi, but the cooldown of 6h0m0s ends in 5h0m0s",
    });
    expect(plan({ annotations: { cooldown: "6h", ...resized(360) } })).toMatchObject({ kind: "resize" });
    expect(plan({ annotations: { cooldown: "6h" } })).toMatchObject({ kind: "resize" });
  });

  it("has a default for all claims", () => {
    expect(plan({ annotations: resized(1) }, {}, { cooldown: 2 * minute })).toMatchObject({ kind: "wait" });
    expect(plan({ annotations: resized(1) })).toMatchObject({ kind: "resize" });
  });

  it("holds for groups", () => {
    const annotations = { cooldown: "6h", ...resized(60) };
    expect(plan({ annotations }, { groupRequest: 20n * BigInt(gibibyte) })).toMatchObject({ kind: "wait" });
  });
});

describe("a group that grows together", () => {
  const groupRequest = 20n * BigInt(gibibyte);

  it("has its members at the size of the largest, full or not, mounted or not", () => {
    expect(request({}, { groupRequest, usage: testUsage() })).toBe(20);
    expect(request({}, { groupRequest, usage: undefined })).toBe(20);
    expect(plan({ request: "20Gi" }, { groupRequest, usage: testUsage() })).toMatchObject({ kind: "keep" });
    expect(plan({ request: "30Gi" }, { groupRequest, usage: testUsage() })).toMatchObject({ kind: "keep" });
  });

  it("does not lift limits", () => {
    expect(request({ annotations: { storage_limit: "15Gi" } }, { groupRequest })).toBe(15);
    const annotations = { storage_limit: "10Gi" };
    expect(plan({ annotations }, { groupRequest })).toMatchObject({ counts: "limitReached" });
  });

  it("waits for a member's own resize", () => {
    expect(plan({ request: "12Gi", capacity: "10Gi" }, { groupRequest })).toMatchObject({ kind: "wait" });
  });

  it("needs the label that it is named after, which keeps no claim from growing by itself", () => {
    const result = plan({ annotations: { "resize-group-by": "app" } });
    expect(result).toMatchObject({
      kind: "resize",
      problem: { name: "InvalidAnnotation", message: expect.stringContaining("no value is set to the label key app") },
    });
  });
});
