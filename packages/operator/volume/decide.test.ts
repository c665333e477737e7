import { claimTemplate, testCluster } from "@moco-ts/api/testing";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareQuantities, formatBytes } from "@moco-ts/base";
import { decide, type ClaimSize } from "./decide.ts";
import type { ObservedClaim } from "./snapshot.ts";
import { condition, observed, testClaim, type ClaimOptions } from "./testing/claims.ts";

const nothing = { labelKeys: [], annotationKeys: [] };

function sizeOf(wanted: string | number, options: ClaimOptions, expandable = true): ClaimSize {
  const cluster = testCluster({ volumeClaimTemplates: [claimTemplate("mysql-data", wanted as string)] });
  const [plan] = decide(
    { cluster, claims: [observed(testClaim("mysql-data-moco-test-0", options), expandable)] },
    nothing,
  );
  return plan!.size;
}

describe("sizes", () => {
  test("a smaller claim grows, whatever notation the sizes have", () => {
    expect(sizeOf("2Gi", { request: "1Gi" })).toEqual({ kind: "grow", from: "1Gi", to: "2Gi" });
    expect(sizeOf(2 ** 31, { request: "1Gi" })).toEqual({ kind: "grow", from: "1Gi", to: "2147483648" });
    expect(sizeOf("2048Mi", { request: "2Gi" })).toEqual({ kind: "enough" });
  });

  test("a larger claim, which an autoresizer has made, is left alone", () => {
    expect(sizeOf("2Gi", { request: "5Gi" })).toEqual({ kind: "enough" });
    expect(sizeOf("1Gi", { request: "5Gi", capacity: "1Gi" })).toEqual({ kind: "growing", from: "1Gi", to: "5Gi" });
  });

  test("a template that became smaller leaves claims alone", () => {
    expect(sizeOf("1Gi", { request: "2Gi" })).toEqual({ kind: "enough" });
  });

  test("a claim without a volume can't grow yet", () => {
    expect(sizeOf("2Gi", { request: "1Gi", capacity: undefined })).toEqual({ kind: "unbound", to: "2Gi" });
    expect(sizeOf("2Gi", { request: "2Gi", capacity: undefined })).toEqual({ kind: "enough" });
  });

  test("a StorageClass that allows no expansion, or is gone, is not asked", () => {
    const fixed = { kind: "fixed", to: "2Gi", storageClass: "disks" };
    expect(sizeOf("2Gi", { request: "1Gi" }, false)).toEqual(fixed);
    const cluster = testCluster({ volumeClaimTemplates: [claimTemplate("mysql-data", "2Gi")] });
    const claim = testClaim("mysql-data-moco-test-0", { request: "1Gi" });
    expect(decide({ cluster, claims: [{ claim, storageClass: undefined }] }, nothing)[0]!.size).toEqual(fixed);
    expect(sizeOf("1Gi", { request: "1Gi" }, false)).toEqual({ kind: "enough" });
  });

  test("growth is followed: on its way, waiting for a Pod, failed", () => {
    const growing = { request: "2Gi", capacity: "1Gi" };
    expect(sizeOf("2Gi", growing)).toEqual({ kind: "growing", from: "1Gi", to: "2Gi" });
    const waiting = { conditions: [condition("FileSystemResizePending")] };
    expect(sizeOf("2Gi", { ...growing, status: waiting })).toEqual({ kind: "restart", to: "2Gi" });
    const failed = { conditions: [condition("Resizing"), condition("ControllerResizeError", "no space left")] };
    expect(sizeOf("2Gi", { ...growing, status: failed })).toEqual({
      kind: "failed",
      to: "2Gi",
      problem: "no space left",
    });
    const infeasible = { allocatedResourceStatuses: { storage: "ControllerResizeInfeasible" } };
    expect(sizeOf("2Gi", { ...growing, status: infeasible })).toMatchObject({ kind: "failed" });
    expect(sizeOf("3Gi", { ...growing, status: waiting })).toEqual({ kind: "grow", from: "2Gi", to: "3Gi" });
    const over = { conditions: [{ type: "FileSystemResizePending", status: "False" }] };
    expect(sizeOf("2Gi", { request: "2Gi", status: over })).toEqual({ kind: "enough" });
  });

  test("a size that nobody understands is no size", () => {
    expect(sizeOf("much", { request: "1Gi" })).toEqual({ kind: "enough" });
  });
});

describe("claims", () => {
  const cluster = testCluster({
    volumeClaimTemplates: [claimTemplate("mysql-data", "2Gi"), claimTemplate("logs", "3Gi")],
  });
  const planned = (...names: string[]) =>
    decide({ cluster, claims: names.map((name) => observed(testClaim(name, { request: "1Gi" }))) }, nothing).map(
      ({ claim, size }) => [claim.metadata?.name, "to" in size ? size.to : size.kind],
    );

  test("each follows its own template, by name and number", () => {
    expect(planned("mysql-data-moco-test-0", "logs-moco-test-0", "mysql-data-moco-test-12")).toEqual([
      ["mysql-data-moco-test-0", "2Gi"],
      ["logs-moco-test-0", "3Gi"],
      ["mysql-data-moco-test-12", "2Gi"],
    ]);
  });

  test("what only carries the labels is nobody's", () => {
    expect(planned("mysql-data", "mysql-data-moco-other-0", "mysql-data-moco-test-", "backup-moco-test-0")).toEqual([]);
    expect(planned("mysql-data-moco-test-00", "x-mysql-data-moco-test-0")).toEqual([]);
  });

  test("one that is being deleted is let go", () => {
    const claim = testClaim("logs-moco-test-0", { request: "1Gi", deleted: true });
    expect(decide({ cluster, claims: [observed(claim)] }, nothing)).toEqual([]);
  });
});

describe("metadata", () => {
  const keys = { labelKeys: ["team", "app.kubernetes.io/instance"], annotationKeys: ["limit"] };
  const template = {
    metadata: {
      name: "mysql-data",
      labels: { team: "a", other: "x", "app.kubernetes.io/instance": "wrong" },
      annotations: { limit: "9Gi", note: "y" },
    },
    spec: { resources: { requests: { storage: "1Gi" } } },
  };
  const plan = (present: Partial<ClaimOptions>, synced = keys, given: typeof template | object = template) => {
    const cluster = testCluster({ volumeClaimTemplates: [given as typeof template] });
    const claim = testClaim("mysql-data-moco-test-0", { request: "1Gi", ...present });
    return decide({ cluster, claims: [observed(claim)] }, synced)[0]!.metadata;
  };

  test("keys that the flags name are copied, and no other", () => {
    expect(plan({})).toEqual({ labels: { team: "a" }, annotations: { limit: "9Gi" } });
    expect(plan({ labels: { team: "b" }, annotations: { limit: "9Gi" } })).toEqual({ labels: { team: "a" } });
    expect(plan({}, nothing as unknown as typeof keys)).toBeUndefined();
  });

  test("what is as it should be is left alone, and nothing is ever removed", () => {
    expect(plan({ labels: { team: "a" }, annotations: { limit: "9Gi" } })).toBeUndefined();
    const bare = { ...template, metadata: { name: "mysql-data" } };
    expect(plan({ labels: { team: "a" }, annotations: { limit: "1Gi" } }, keys, bare)).toBeUndefined();
  });
});

const gibibytes = fc.integer({ min: 1, max: 64 }).map((count) => formatBytes(BigInt(count) * 1024n ** 3n));
const anyClaim: fc.Arbitrary<ObservedClaim> = fc
  .record({
    template: fc.constantFrom("mysql-data", "logs"),
    ordinal: fc.nat(4),
    request: gibibytes,
    capacity: fc.option(gibibytes, { nil: undefined }),
    conditions: fc.subarray(["Resizing", "FileSystemResizePending", "ControllerResizeError"]),
    allow: fc.boolean(),
  })
  .map(({ template, ordinal, request, capacity, conditions, allow }) => {
    const status = { conditions: conditions.map((type) => condition(type)) };
    return observed(testClaim(`${template}-moco-test-${ordinal}`, { request, capacity, status }), allow);
  });

test("no claim is ever asked to shrink, and every one that can grow and has to is asked", () => {
  fc.assert(
    fc.property(fc.array(anyClaim, { maxLength: 8 }), gibibytes, gibibytes, (claims, data, logs) => {
      const templates = { "mysql-data": data, logs };
      const volumeClaimTemplates = Object.entries(templates).map(([name, size]) => claimTemplate(name, size));
      for (const { claim, size } of decide({ cluster: testCluster({ volumeClaimTemplates }), claims }, nothing)) {
        const request = claim.spec!.resources!.requests!["storage"]!;
        const wanted = claim.metadata!.name!.startsWith("logs") ? logs : data;
        const isSmall = compareQuantities(request, wanted) < 0;
        const possible = isSmall ? ["grow", "unbound", "fixed"] : ["enough", "growing", "restart", "failed"];
        expect(possible).toContain(size.kind);
        expect(size.kind === "grow" ? size.to : wanted).toBe(wanted);
      }
    }),
  );
});

test("once claims have what was asked for, nothing is left to do", () => {
  fc.assert(
    fc.property(fc.array(anyClaim, { maxLength: 8 }), gibibytes, (claims, wanted) => {
      const volumeClaimTemplates = ["mysql-data", "logs"].map((name) => claimTemplate(name, wanted));
      const cluster = testCluster({ volumeClaimTemplates });
      const after = decide({ cluster, claims }, nothing).map(({ claim, size }): ObservedClaim => {
        const request = size.kind === "grow" ? size.to : claim.spec!.resources!.requests!["storage"]!;
        return observed({ ...claim, spec: { ...claim.spec, resources: { requests: { storage: request } } } });
      });
      const left = decide({ cluster, claims: after }, nothing).filter(({ size }) => size.kind === "grow");
      const fixed = decide({ cluster, claims }, nothing).filter(({ size }) => size.kind === "fixed");
      // Here every class allows expansion: only what was not allowed before is asked for now.
      expect(left).toHaveLength(fixed.length);
    }),
  );
});
