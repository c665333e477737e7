import { claimTemplate, testCluster } from "@moco-ts/api/testing";
import { expect, test } from "vitest";
import { volumesCondition, volumesEvent } from "./condition.ts";
import { decide } from "./decide.ts";
import type { ObservedClaim } from "./snapshot.ts";
import { condition, observed, testClaim, type ClaimOptions } from "./testing/claims.ts";

const cluster = testCluster({ volumeClaimTemplates: [claimTemplate("mysql-data", "2Gi")] }, { generation: 4 });

function conditionOf(...claims: ObservedClaim[]) {
  return volumesCondition(cluster, decide({ cluster, claims }, { labelKeys: [], annotationKeys: [] }));
}

const claim = (ordinal: number, options: ClaimOptions, expandable?: boolean) =>
  observed(testClaim(`mysql-data-moco-test-${ordinal}`, options), expandable);
const pending = { conditions: [condition("FileSystemResizePending")] };

test("all is well, also before there are any claims", () => {
  const good = {
    type: "VolumesResized",
    status: "True",
    reason: "VolumesResized",
    message: "all volumes have the size that their templates ask for",
    observedGeneration: 4,
  };
  expect(conditionOf(claim(0, { request: "2Gi" }), claim(1, { request: "5Gi" }))).toEqual(good);
  expect(conditionOf()).toEqual(good);
});

test("a file system that waits for its Pod: which one to restart, and that nobody else does it", () => {
  expect(conditionOf(claim(1, { request: "2Gi", capacity: "1Gi", status: pending }))).toMatchObject({
    status: "False",
    reason: "FileSystemResizePending",
    message:
      "mysql-data-moco-test-1: the volume has grown to 2Gi, its file system grows when the Pod starts anew: " +
      "restart it at a time of your choice (kubectl delete pod moco-test-1)",
  });
});

test("growth on its way, and claims that have no volume yet", () => {
  expect(conditionOf(claim(0, { request: "2Gi", capacity: "1Gi" }))).toMatchObject({
    reason: "Resizing",
    message: "mysql-data-moco-test-0: grows from 1Gi to 2Gi",
  });
  expect(conditionOf(claim(0, { request: "1Gi" }))).toMatchObject({ status: "False", reason: "Resizing" });
  expect(conditionOf(claim(0, { request: "1Gi", capacity: undefined }))).toMatchObject({
    message: "mysql-data-moco-test-0: 2Gi will be asked for once it has a volume",
  });
});

test("what needs a person most comes first, and nothing is left out", () => {
  const failed = { conditions: [condition("ControllerResizeError", "no space left")] };
  const { reason, message } = conditionOf(
    claim(0, { request: "2Gi", capacity: "1Gi" }),
    claim(1, { request: "2Gi", capacity: "1Gi", status: pending }),
    claim(2, { request: "1Gi" }, false),
    claim(3, { request: "2Gi", capacity: "1Gi", status: failed }),
  );
  expect(reason).toBe("ExpansionFailed");
  expect(message.split("; ").map((each) => each.slice(0, 38))).toEqual([
    "mysql-data-moco-test-3: it could not g",
    "mysql-data-moco-test-2: it can't grow ",
    "mysql-data-moco-test-1: the volume has",
    "mysql-data-moco-test-0: grows from 1Gi",
  ]);
  expect(message).toContain("it could not grow to 2Gi: no space left");
  expect(message).toContain("StorageClass disks does not exist or does not allow expansion (allowVolumeExpansion)");
});

test("an Event tells once that a person is needed, and once that it is over", () => {
  const told = (before: string | undefined, now: ReturnType<typeof conditionOf>) => {
    const lastTransitionTime = "2026-01-01T00:00:00Z";
    const past = { type: "VolumesResized", status: "False", message: "", lastTransitionTime } as const;
    const conditions = before === undefined ? [] : [{ ...past, reason: before }];
    return volumesEvent({ ...cluster, status: { conditions } as never }, now);
  };
  const fine = conditionOf();
  const growing = conditionOf(claim(0, { request: "2Gi", capacity: "1Gi" }));
  const fixed = conditionOf(claim(2, { request: "1Gi" }, false));
  expect(told(undefined, fine)).toBeUndefined();
  expect(told("VolumesResized", growing)).toBeUndefined();
  expect(told("Resizing", fine)).toMatchObject({ type: "Normal", reason: "VolumesResized" });
  expect(told("Resizing", fixed)).toMatchObject({ type: "Warning", reason: "ExpansionNotAllowed" });
  expect(told(undefined, fixed)).toMatchObject({ type: "Warning", reason: "ExpansionNotAllowed" });
  expect(told("ExpansionNotAllowed", fixed)).toBeUndefined();
});
