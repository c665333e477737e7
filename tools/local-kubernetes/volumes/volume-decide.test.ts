import type { PersistentVolume } from "@moco-ts/kube";
import { expect, test } from "vitest";
import { annotations, diskFinalizer, provisioner } from "./names.ts";
import { decideVolume, isOurs } from "./volume-decide.ts";

function volume(parts: { phase: string; policy?: string; deleting?: boolean; finalizer?: boolean }): PersistentVolume {
  const { phase, policy = "Delete", deleting = false, finalizer = true } = parts;
  return {
    metadata: {
      name: "pvc-1",
      annotations: { [annotations.provisionedBy]: provisioner },
      finalizers: finalizer ? ["kubernetes.io/pv-protection", diskFinalizer] : ["kubernetes.io/pv-protection"],
      ...(deleting && { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    },
    spec: { persistentVolumeReclaimPolicy: policy },
    status: { phase },
  };
}

const mounted = { exists: true, mounted: true };

test.each([
  ["bound and mounted", volume({ phase: "Bound" }), mounted, "nothing"],
  ["bound and not mounted", volume({ phase: "Bound" }), { exists: true, mounted: false }, "mount"],
  ["bound, with a lost disk", volume({ phase: "Bound" }), { exists: false, mounted: false }, "nothing"],
  ["released", volume({ phase: "Released" }), mounted, "delete"],
  ["released, with a lost disk", volume({ phase: "Released" }), { exists: false, mounted: false }, "delete"],
  ["released and retained", volume({ phase: "Released", policy: "Retain" }), mounted, "nothing"],
  ["deleted under its claim", volume({ phase: "Bound", deleting: true }), mounted, "nothing"],
  ["released and deleted", volume({ phase: "Released", deleting: true }), mounted, "delete"],
  ["never bound and deleted", volume({ phase: "Available", deleting: true }), mounted, "delete"],
  ["retained and deleted", volume({ phase: "Released", policy: "Retain", deleting: true }), mounted, "release"],
  ["done with, but protected", volume({ phase: "Released", deleting: true, finalizer: false }), mounted, "nothing"],
])("%s", (_, volume, disk, plan) => {
  expect(decideVolume({ volume, disk })).toMatchObject({ do: plan });
});

test("volumes of others are told apart", () => {
  const foreign = volume({ phase: "Released" });
  expect(isOurs(foreign)).toBe(true);
  foreign.metadata!.annotations = { [annotations.provisionedBy]: "other" };
  expect(isOurs(foreign)).toBe(false);
});
