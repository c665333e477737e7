import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PersistentVolumeClaim, StorageClass } from "@moco-ts/kube";
import { testClaim, testClass, type ClaimOptions } from "../testing/objects.ts";
import { requestOf } from "../decision/snapshot.ts";
import { decideInitialSize } from "./initial-size.ts";

const groupBy = { "initial-resize-group-by": "label-foobar", storage_limit: undefined };
const groupX = { "label-foobar": "group-x" };

function newClaim(options: ClaimOptions = {}): PersistentVolumeClaim {
  const annotations = { ...groupBy, ...options.annotations };
  const { status: _status, ...claim } = testClaim({ labels: groupX, request: "10Gi", ...options, annotations });
  return claim;
}

const members = [testClaim({ request: "20Gi" }), testClaim({ request: "16Gi" })];

async function size(claim: PersistentVolumeClaim, others = members, storageClass?: StorageClass) {
  const result = await decideInitialSize(claim, storageClass, async () => others);
  return result.kind === "larger" ? result.claim.spec!.resources!.requests!["storage"] : result.message;
}

describe("a new claim", () => {
  it("without the annotation, or with an empty one, stays as it is, and nobody looks at others", async () => {
    for (const key of [undefined, ""]) {
      const claim = newClaim({ annotations: { "initial-resize-group-by": key } });
      const never = () => Promise.reject(new Error("looked at others"));
      expect(await decideInitialSize(claim, undefined, never)).toEqual({
        kind: "unchanged",
        message: "annotation not set",
      });
    }
  });

  it("that lacks the label, or has it empty, is refused", async () => {
    for (const labels of [{}, { "label-foobar": "" }] as Record<string, string>[]) {
      expect(await decideInitialSize(newClaim({ labels }), undefined, async () => members)).toEqual({
        kind: "refused",
        message: "no value is set to the label key label-foobar",
      });
    }
  });

  it("gets the size of the largest in its group", async () => {
    expect(await size(newClaim())).toBe("20Gi");
  });

  it("looks for the label's own value", async () => {
    const selectors: string[] = [];
    await decideInitialSize(newClaim(), undefined, async (selector) => {
      selectors.push(selector);
      return [];
    });
    expect(selectors).toEqual(["label-foobar=group-x"]);
  });

  it("that is the first of its group, or larger than all others, stays as it is", async () => {
    expect(await size(newClaim(), [])).toBe("PVC request storage size unchanged");
    expect(await size(newClaim({ request: "50Gi" }))).toBe("PVC request storage size unchanged");
    expect(await size(newClaim({ request: "20Gi" }))).toBe("PVC request storage size unchanged");
  });

  it("counts members that need no annotation, that are being deleted, and that have not grown yet", async () => {
    const plain = testClaim({ request: "30Gi", annotations: { storage_limit: undefined } });
    expect(await size(newClaim(), [plain])).toBe("30Gi");
    expect(await size(newClaim(), [testClaim({ request: "30Gi", deletionTimestamp: "2026-01-01T00:00:00Z" })])).toBe(
      "30Gi",
    );
    expect(await size(newClaim(), [testClaim({ request: "30Gi", capacity: "10Gi" })])).toBe("30Gi");
  });

  it("counts members with what they have, if that is more than they asked for", async () => {
    expect(await size(newClaim(), [testClaim({ request: "5Gi", capacity: "40Gi" })])).toBe("40Gi");
  });

  it("gets at most its limit, and is told so, but never less than it asks for", async () => {
    const limited = (storage_limit: string, request = "10Gi") => newClaim({ annotations: { storage_limit }, request });
    expect(await size(limited("15Gi"))).toBe("15Gi");
    expect(await size(limited("25Gi"))).toBe("20Gi");
    expect(await size(limited("5Gi"))).toBe("PVC request storage size unchanged");
    expect(await decideInitialSize(limited("15Gi"), undefined, async () => members)).toMatchObject({
      warning: "another PVC of the group has 20Gi, and the limit of this one is 15Gi",
    });
    expect(await decideInitialSize(limited("25Gi"), undefined, async () => members)).not.toHaveProperty(
      "warning.length",
    );
  });

  it("without a limit, or with one of 0, has none", async () => {
    for (const storage_limit of [undefined, "", "0"]) {
      expect(await size(newClaim({ annotations: { storage_limit } }))).toBe("20Gi");
    }
  });

  it("has the limit of its class if it says none", async () => {
    expect(await size(newClaim(), members, testClass({ storage_limit: "12Gi" }))).toBe("12Gi");
    const annotations = { storage_limit: "18Gi" };
    expect(await size(newClaim({ annotations }), members, testClass({ storage_limit: "12Gi" }))).toBe("18Gi");
  });

  it("whose limit can't be understood is an error", async () => {
    const claim = newClaim({ annotations: { storage_limit: "lots" } });
    await expect(size(claim)).rejects.toThrow('resize.topolvm.io/storage_limit: "lots"');
  });

  it("without any size gets that of its group", async () => {
    const { resources: _resources, ...spec } = newClaim().spec!;
    expect(await size({ ...newClaim(), spec })).toBe("20Gi");
  });

  it("is at least as large as it asks for, and as its group up to the limit", async () => {
    const gibibytes = fc.bigInt({ min: 1n, max: 10_000_000n });
    const property = fc.asyncProperty(gibibytes, fc.array(gibibytes), gibibytes, async (own, others, limit) => {
      const claim = newClaim({ request: `${own}Gi`, annotations: { storage_limit: `${limit}Gi` } });
      const result = await decideInitialSize(claim, undefined, async () =>
        others.map((each) => testClaim({ request: `${each}Gi` })),
      );
      const request = requestOf(result.kind === "larger" ? result.claim : claim) / 1024n ** 3n;
      const largest = others.reduce((one, other) => (one > other ? one : other), own);
      expect(request).toBe(largest <= limit ? largest : own > limit ? own : limit);
    });
    await fc.assert(property);
  });
});
