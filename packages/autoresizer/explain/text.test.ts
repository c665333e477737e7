import { expect, test } from "vitest";
import { gibibyte, testClaim, testClass, testRules, testUsage } from "../testing/objects.ts";
import { explanation } from "./text.ts";

const now = Date.UTC(2026, 0, 1);

test("a volume that is about to grow", () => {
  const claim = testClaim({ annotations: { threshold: "20%" } });
  const usage = testUsage({ available: 1.5 * gibibyte });
  const storageClass = testClass({ increase: "5Gi" });
  expect(`\n${explanation({ claim, storageClass, usage }, testRules, now)}`).toBe(`
PersistentVolumeClaim default/data
  class        standard: managed, volumes may grow
  size         10Gi, 10Gi asked for
  in use       8.5Gi of 10Gi, 1.5Gi (15%) available
  inodes       500 of 1000, 500 (50%) free
  grows below  20% of its bytes, which is 2Gi
               10% (default) of its inodes, which is 100
  by           5Gi (of the StorageClass), to whole GiB
  up to        100Gi

The next round asks for 15Gi: 1.5Gi (15%) are available, less than 2Gi.`);
});

test("a volume that grows with its group, and waits", () => {
  const annotations = {
    "resize-group-by": "app",
    cooldown: "6h",
    "resized-at": new Date(now - 3_600_000).toISOString(),
    pre_capacity_bytes: String(9.5 * gibibyte),
  };
  const claim = testClaim({ annotations, labels: { app: "shop" } });
  const usage = { capacity: 10 * gibibyte, available: 0 };
  const groupRequest = 20n * BigInt(gibibyte);
  expect(`\n${explanation({ claim, storageClass: testClass(), usage, groupRequest }, testRules, now)}`).toBe(`
PersistentVolumeClaim default/data
  class        standard: managed, volumes may grow
  size         10Gi, 10Gi asked for
  in use       10Gi of 10Gi, 0B (0%) available
  inodes       not counted
  grows below  10% (default) of its bytes, which is 1Gi
               10% (default) of its inodes
  by           10% (default), to whole GiB
  up to        100Gi
  not sooner   than 6h0m0s after the last time
  grows with   app=shop, whose largest asks for 20Gi
  last resize  1h0m0s ago, from a file system of 9.5Gi

It has to wait: the cooldown of 6h0m0s ends in 5h0m0s.`);
});

test("a problem, a mistake, and a claim that is not managed", () => {
  const storageClass = testClass();
  const last = (...parameters: Parameters<typeof explanation>) => explanation(...parameters).split("\n\n")[1];
  const limited = testClaim({ annotations: { storage_limit: "10Gi" } });
  expect(last({ claim: limited, storageClass, usage: testUsage({ available: 0 }) }, testRules, now)).toBe(
    "It stays as it is: its limit of 10Gi is reached.\n" +
      "Problem: LimitReached: volume storage limit reached: 0B (0%) are available, less than 1Gi, and resize.topolvm.io/storage_limit is 10Gi.",
  );
  const wrong = testClaim({ annotations: { increase: "much" } });
  expect(last({ claim: wrong, storageClass, usage: undefined }, testRules, now)).toMatch(
    /^It stays as it is: resize.topolvm.io\/increase: "much": not a quantity.*\.$/,
  );
  const stranger = testClaim({ storageClassName: "gone", annotations: { storage_limit: undefined } });
  const text = explanation({ claim: stranger, storageClass: undefined, usage: undefined }, testRules, now);
  expect(text).toContain("class        gone, which does not exist");
  expect(text).toContain("in use       unknown: no statistics");
  expect(text).toContain("up to        no limit is set");
  expect(text).toMatch(/\n\nIt is not managed: it has no StorageClass\.$/);
});
