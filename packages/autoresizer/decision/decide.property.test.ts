import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseBytes, parseQuantity } from "@moco-ts/base";
import type { PersistentVolumeClaim } from "@moco-ts/kube";
import { testClaim, testClass, testRules } from "../testing/objects.ts";
import type { VolumeUsage } from "../usage/usage.ts";
import { largestSize } from "./amounts.ts";
import { decide, type Rules } from "./decide.ts";
import type { Plan, ResizePlan } from "./plan.ts";
import { capacityOf, requestOf, type Recollection } from "./snapshot.ts";
import { quantityText } from "./text.ts";

const now = Date.UTC(2026, 0, 1);
const gibibyte = 1024n ** 3n;

/** Quantities in every notation, from bytes to beyond what 64 bits hold. */
const quantity = fc
  .oneof(
    fc.tuple(
      fc.bigInt({ min: 1n, max: 9999n }),
      fc.constantFrom("", "k", "M", "G", "T", "P", "Ki", "Mi", "Gi", "Ti", "Pi"),
    ),
    fc.tuple(fc.bigInt({ min: 1n, max: 10n }), fc.constantFrom("E", "Ei")),
    fc.tuple(fc.bigInt({ min: 1n, max: 999n }), fc.constantFrom("e3", "E6", "e+9", "e12", "000m", "500m", "e21")),
    fc.tuple(fc.constantFrom("1.5", "0.25", ".5", "2.", "+3"), fc.constantFrom("Gi", "Ti", "G", "T", "e10")),
  )
  .map(([number, suffix]) => `${number}${suffix}`);
const percentage = fc.oneof(
  fc.integer({ min: 0, max: 100 }).map((rate) => `${rate}%`),
  fc.constantFrom("0.5%", "12.5%", "1e1%", "99.999999%"),
);
const amount = fc.oneof(quantity, percentage);

interface Case {
  readonly claim: PersistentVolumeClaim;
  readonly usage: VolumeUsage;
  readonly groupRequest?: bigint | undefined;
  readonly recollection?: Recollection | undefined;
}

const claim = fc
  .record({
    request: quantity,
    capacity: quantity,
    storage_limit: quantity,
    threshold: fc.option(amount, { nil: undefined }),
    "inodes-threshold": fc.option(percentage, { nil: undefined }),
    increase: fc.option(amount, { nil: undefined }),
    cooldown: fc.constantFrom(undefined, "0s", "6h"),
    "resized-at": fc.constantFrom(undefined, "2025-12-31T23:59:00Z", "2025-12-31T12:00:00Z"),
  })
  .map(({ request, capacity, ...annotations }) => testClaim({ request, capacity, annotations }));

const usage = fc
  .record({ capacity: fc.maxSafeNat(), available: fc.maxSafeNat(), inodes: fc.nat(), inodesFree: fc.nat() })
  .map(({ capacity, available, inodes, inodesFree }) => ({
    capacity: capacity + 1,
    available: available % (capacity + 1),
    inodes,
    inodesFree: inodesFree % (inodes + 1),
  }));

const recollection = fc.record({
  waitingSince: fc.constantFrom(undefined, now - 60_000, now - 2 * 3_600_000),
  justChanged: fc.constantFrom(undefined, false, true),
});

const anyCase: fc.Arbitrary<Case> = fc.record(
  { claim, usage, groupRequest: fc.bigInt({ min: 0n, max: largestSize }), recollection },
  { requiredKeys: ["claim", "usage"] },
);

/** Nothing stands in the way of growth but what is tested. */
const settledCase: fc.Arbitrary<Case> = fc
  .record({ capacity: quantity, storage_limit: quantity, increase: amount, usage })
  .map(({ capacity, usage, ...annotations }) => ({ claim: testClaim({ request: capacity, annotations }), usage }));

function planFor(given: Case, rules: Rules = testRules): Plan {
  return decide({ storageClass: testClass(), ...given }, rules, now);
}

function resizeOf(given: Case): ResizePlan | undefined {
  const plan = planFor(given);
  return plan.kind === "resize" ? plan : undefined;
}

/** The claim as the API server stores it after the resize was asked for. */
function asked({ claim, usage }: Case, { request }: ResizePlan): PersistentVolumeClaim {
  const annotations = {
    ...claim.metadata!.annotations,
    "resize.topolvm.io/pre_capacity_bytes": String(usage.capacity),
    "resize.topolvm.io/resized-at": new Date(now).toISOString(),
  };
  const resources = { requests: { storage: quantityText(request) } };
  return { ...claim, metadata: { ...claim.metadata, annotations }, spec: { ...claim.spec, resources } };
}

function grown(claim: PersistentVolumeClaim): PersistentVolumeClaim {
  const storage = claim.spec!.resources!.requests!["storage"]!;
  return { ...claim, status: { ...claim.status, capacity: { storage } } };
}

function limitOf({ claim }: Case): bigint {
  // Rounded down: a limit of half a byte is none.
  return parseQuantity(claim.metadata!.annotations!["resize.topolvm.io/storage_limit"]!) / 1_000_000_000n;
}

const many = { numRuns: 500 };

describe("whatever a claim says and however full it is", () => {
  it("never more than the limit is asked for, unless somebody has asked for it already", () => {
    fc.assert(
      fc.property(anyCase, (given) => {
        const plan = resizeOf(given);
        if (plan === undefined || plan.request === requestOf(given.claim)) return;
        expect(plan.request).toBeLessThanOrEqual(limitOf(given));
        expect(plan.request).toBeLessThanOrEqual(largestSize);
      }),
      many,
    );
  });

  it("never less than there is or than was asked for is asked for", () => {
    fc.assert(
      fc.property(anyCase, (given) => {
        const plan = resizeOf(given);
        if (plan === undefined) return;
        expect(plan.request).toBeGreaterThan(capacityOf(given.claim));
        expect(plan.request).toBeGreaterThanOrEqual(requestOf(given.claim));
      }),
      many,
    );
  });

  it("what is asked for is whole GiB, the limit, the size of the group, or what was asked for before", () => {
    fc.assert(
      fc.property(anyCase, (given) => {
        const request = resizeOf(given)?.request;
        if (request === undefined || request % gibibyte === 0n) return;
        expect([limitOf(given), largestSize, given.groupRequest, requestOf(given.claim)]).toContain(request);
      }),
      many,
    );
  });

  it("the text of what is asked for says exactly that", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: largestSize }), (bytes) => {
        expect(parseBytes(quantityText(bytes))).toBe(bytes);
      }),
      many,
    );
  });

  it("asking is enough: nothing more is asked for until the volume has grown and its numbers have changed", () => {
    fc.assert(
      fc.property(anyCase, (given) => {
        const plan = resizeOf(given);
        if (plan === undefined) return;
        const claim = asked(given, plan);
        // Others in the group go on growing, which is another reason.
        const { groupRequest: _group, recollection: _recollection, ...rest } = given;
        expect(planFor({ ...rest, claim }).kind).not.toBe("resize");
        expect(planFor({ ...rest, claim: grown(claim) }).kind).not.toBe("resize");
      }),
      many,
    );
  });

  it("the same question has the same answer", () => {
    fc.assert(
      fc.property(anyCase, (given) => {
        expect(planFor(structuredClone(given))).toEqual(planFor(given));
      }),
      many,
    );
  });

  it("annotations of any text have an answer", () => {
    const keys = ["storage_limit", "threshold", "inodes-threshold", "increase", "cooldown", "pre_capacity_bytes"];
    const foreign = fc.constantFrom("١٠%", "１０％", "10%\n", "\u0000", "∞%", "Infinity%", "0x10", "1_000", "1e9999");
    const text = fc.oneof(fc.string({ maxLength: 8 }), foreign, quantity, percentage);
    const annotations = fc.record(Object.fromEntries([...keys, "resized-at"].map((key) => [key, text])));
    fc.assert(
      fc.property(annotations, usage, (annotations, usage) => {
        expect(planFor({ claim: testClaim({ annotations }), usage }).reason).not.toBe("");
      }),
      many,
    );
  });
});

describe("growth is monotone", () => {
  it("in what is available: with less of it, a volume that grows grows as far", () => {
    fc.assert(
      fc.property(settledCase, fc.double({ min: 0, max: 1, noNaN: true }), (given, share) => {
        const plan = resizeOf(given);
        if (plan === undefined) return;
        const available = Math.floor(given.usage.available * share);
        expect(resizeOf({ ...given, usage: { ...given.usage, available } })?.request).toBe(plan.request);
      }),
      many,
    );
  });

  it("in the limit: with a higher one, a volume that grows grows as far or further", () => {
    fc.assert(
      fc.property(settledCase, quantity, (given, other) => {
        const plan = resizeOf(given);
        if (plan === undefined || parseQuantity(other) / 1_000_000_000n < limitOf(given)) return;
        const annotations = { ...given.claim.metadata!.annotations, "resize.topolvm.io/storage_limit": other };
        const claim = { ...given.claim, metadata: { ...given.claim.metadata, annotations } };
        expect(resizeOf({ ...given, claim })?.request).toBeGreaterThanOrEqual(plan.request);
      }),
      many,
    );
  });

  it("round after round, a volume that stays full reaches its limit and stops there", () => {
    const limit = fc.bigInt({ min: 2n, max: 500n }).map((size) => `${size}Gi`);
    const increase = fc.constantFrom("10%", "1Gi", "100%", "7.5Gi");
    fc.assert(
      fc.property(limit, increase, (storage_limit, increase) => {
        let claim = testClaim({ request: "1Gi", annotations: { storage_limit, increase } });
        for (let round = 0; round < 1000; round++) {
          // The file system has grown with the claim, and is full again.
          const usage = { capacity: Number(capacityOf(claim)), available: 0 };
          const plan = resizeOf({ claim, usage });
          if (plan === undefined) break;
          claim = grown(asked({ claim, usage }, plan));
        }
        expect(capacityOf(claim)).toBe(parseBytes(storage_limit));
      }),
      { numRuns: 50 },
    );
  });
});
