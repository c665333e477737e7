import type { PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimStatus, Pod } from "@moco-ts/kube";
import { describe, expect, test } from "vitest";
import { decideClaim, type ClaimSnapshot } from "./claim-decide.ts";
import { expansionFailed, expansionFinished, expansionPending, expansionStarted } from "./claim-status.ts";
import { storageClasses } from "./classes.ts";
import {
  annotations,
  expansionAnnotation,
  failExpansionAnnotation,
  provisioner,
  usedByAnnotation,
  volumeName,
} from "./names.ts";

const now = "2026-01-01T00:00:00Z";

function claim(parts: { request?: string; annotations?: Record<string, string> } = {}): PersistentVolumeClaim {
  return {
    metadata: {
      namespace: "default",
      name: "data",
      uid: "1",
      annotations: { [annotations.storageProvisioner]: provisioner, ...parts.annotations },
    },
    spec: {
      storageClassName: "local-xfs",
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: parts.request ?? "1Gi" } },
    },
    status: { phase: "Pending" },
  };
}

function bound(
  parts: { request?: string; annotations?: Record<string, string>; status?: PersistentVolumeClaimStatus } = {},
): PersistentVolumeClaim {
  const base = claim(parts);
  return {
    ...base,
    spec: { ...base.spec, volumeName: volumeName("1") },
    status: { phase: "Bound", capacity: { storage: "1Gi" }, ...parts.status },
  };
}

function volume(parts: { expansion?: string; usedBy?: string; provisionedBy?: string } = {}): PersistentVolume {
  return {
    metadata: {
      name: volumeName("1"),
      annotations: {
        [annotations.provisionedBy]: parts.provisionedBy ?? provisioner,
        [expansionAnnotation]: parts.expansion ?? "online",
        ...(parts.usedBy !== undefined && { [usedByAnnotation]: parts.usedBy }),
      },
    },
    spec: { claimRef: { namespace: "default", name: "data", uid: "1" } },
  };
}

const pod = (uid: string): Pod => ({ metadata: { name: `pod-${uid}`, uid }, spec: { containers: [] } });

const decide = (snapshot: Partial<ClaimSnapshot> & { claim: PersistentVolumeClaim }) =>
  decideClaim({ storageClass: undefined, volume: undefined, pods: [], ...snapshot });

/** What the API server makes of a merge patch of the status. */
function patched(before: PersistentVolumeClaim, patch: ReturnType<typeof expansionFinished>): PersistentVolumeClaim {
  const { allocatedResourceStatuses, ...rest } = patch;
  const stage = { ...before.status?.allocatedResourceStatuses, ...allocatedResourceStatuses };
  const stages = Object.fromEntries(Object.entries(stage).filter((entry): entry is [string, string] => !!entry[1]));
  return { ...before, status: { ...before.status, ...rest, allocatedResourceStatuses: stages } };
}

describe("a claim without a volume", () => {
  const [storageClass] = storageClasses;
  const selected = { [annotations.selectedNode]: "node-1" };

  test.each([
    ["waits for a node", claim(), storageClass, { do: "nothing" }],
    [
      "gets a disk on the node that was chosen",
      claim({ annotations: selected }),
      storageClass,
      {
        do: "provision",
        node: "node-1",
        capacity: "1Gi",
        expansion: "online",
        reclaimPolicy: "Delete",
      },
    ],
    [
      "gets at least what the file system needs",
      claim({ request: "1Mi", annotations: selected }),
      storageClass,
      {
        do: "provision",
        capacity: "300Mi",
      },
    ],
    [
      "of the offline class remembers it",
      claim({ annotations: selected }),
      storageClasses[1],
      {
        do: "provision",
        expansion: "offline",
      },
    ],
    [
      "of another provisioner is left alone",
      claim({ annotations: { ...selected, [annotations.storageProvisioner]: "x" } }),
      storageClass,
      {
        do: "nothing",
      },
    ],
    ["whose class is gone is left alone", claim({ annotations: selected }), undefined, { do: "nothing" }],
  ])("%s", (_, claim, storageClass, plan) => {
    expect(decide({ claim, storageClass })).toMatchObject(plan);
  });

  test("waits for its volume to be bound once that is there", () => {
    const plan = decide({ claim: claim({ annotations: selected }), storageClass, volume: volume() });
    expect(plan).toMatchObject({ do: "nothing" });
  });

  test("is refused if it asks for what a disk of one node can't be", () => {
    const shared = claim({ annotations: selected });
    shared.spec!.accessModes = ["ReadWriteOnce", "ReadWriteMany"];
    expect(decide({ claim: shared, storageClass })).toMatchObject({
      do: "refuse",
      reason: expect.stringContaining("ReadWriteMany"),
    });
    const copy = claim({ annotations: selected });
    copy.spec!.dataSource = { kind: "PersistentVolumeClaim", name: "other" };
    expect(decide({ claim: copy, storageClass })).toMatchObject({ do: "refuse" });
    const block = claim({ annotations: selected });
    block.spec!.volumeMode = "Block";
    expect(decide({ claim: block, storageClass })).toMatchObject({ do: "refuse" });
  });
});

describe("a claim with a volume", () => {
  test("that is large enough needs nothing, whatever the notation", () => {
    expect(decide({ claim: bound({ request: "1024Mi" }), volume: volume() })).toMatchObject({ do: "nothing" });
  });

  test("of another provisioner, or of another claim of that name, is left alone", () => {
    const larger = bound({ request: "2Gi" });
    expect(decide({ claim: larger, volume: volume({ provisionedBy: "other" }) })).toMatchObject({ do: "nothing" });
    larger.metadata!.uid = "2";
    expect(decide({ claim: larger, volume: volume() })).toMatchObject({ do: "nothing" });
  });

  test("that is being deleted is left alone", () => {
    const larger = bound({ request: "2Gi" });
    larger.metadata!.deletionTimestamp = now;
    expect(decide({ claim: larger, volume: volume() })).toMatchObject({ do: "nothing" });
  });
});

describe("expansion", () => {
  test("online: starts, grows, ends", () => {
    const asked = bound({ request: "2Gi" });
    expect(decide({ claim: asked, volume: volume(), pods: [pod("a")] })).toMatchObject({
      do: "start expansion",
      capacity: "2Gi",
    });
    const started = patched(asked, expansionStarted(asked, "2Gi", now));
    expect(decide({ claim: started, volume: volume(), pods: [pod("a")] })).toMatchObject({
      do: "expand",
      capacity: "2Gi",
    });
    const finished = patched(started, expansionFinished(started, "2Gi"));
    expect(decide({ claim: finished, volume: volume() })).toMatchObject({ do: "nothing" });
    expect(finished.status).toEqual({
      phase: "Bound",
      capacity: { storage: "2Gi" },
      allocatedResources: { storage: "2Gi" },
      allocatedResourceStatuses: {},
      conditions: [],
    });
  });

  test("offline: waits until every pod that used the volume is gone and another one is there", () => {
    const asked = bound({ request: "2Gi" });
    const started = patched(asked, expansionStarted(asked, "2Gi", now));
    const offline = volume({ expansion: "offline" });
    expect(decide({ claim: started, volume: offline, pods: [pod("a"), pod("b")] })).toMatchObject({
      do: "await restart",
      usedBy: ["a", "b"],
    });
    const pending = patched(started, expansionPending(started, now));
    const waiting = volume({ expansion: "offline", usedBy: "a b" });
    const pods = (...uids: string[]) => decide({ claim: pending, volume: waiting, pods: uids.map(pod) }).do;
    expect(pods("a", "b")).toBe("nothing");
    expect(pods("b", "c")).toBe("nothing");
    expect(pods()).toBe("nothing");
    expect(pods("c")).toBe("expand");
  });

  test("offline and without a pod: waits for the first one", () => {
    const asked = bound({ request: "2Gi" });
    const pending = patched(asked, expansionPending(patched(asked, expansionStarted(asked, "2Gi", now)), now));
    pending.status!.allocatedResources = { storage: "2Gi" };
    const waiting = volume({ expansion: "offline", usedBy: "" });
    expect(decide({ claim: pending, volume: waiting })).toMatchObject({ do: "nothing" });
    expect(decide({ claim: pending, volume: waiting, pods: [pod("a")] })).toMatchObject({ do: "expand" });
  });

  test("a request that was raised meanwhile starts anew with the larger one", () => {
    const asked = bound({ request: "2Gi" });
    const started = patched(asked, expansionStarted(asked, "2Gi", now));
    started.spec!.resources!.requests = { storage: "3Gi" };
    expect(decide({ claim: started, volume: volume() })).toMatchObject({ do: "start expansion", capacity: "3Gi" });
  });

  test.each(["once", "always"] as const)("that fails %s is tried again", (failure) => {
    const asked = bound({ request: "2Gi", annotations: { [failExpansionAnnotation]: failure } });
    expect(decide({ claim: asked, volume: volume() })).toMatchObject({ do: "start expansion" });
    const started = patched(asked, expansionStarted(asked, "2Gi", now));
    expect(decide({ claim: started, volume: volume() })).toMatchObject({ do: "fail expansion", failure });
    const failed = patched(started, expansionFailed(started, "no space", false, now));
    expect(failed.status?.conditions?.map(({ type }) => type)).toEqual(["Resizing", "ControllerResizeError"]);
    expect(decide({ claim: failed, volume: volume() })).toMatchObject({ do: "fail expansion", failure });
    delete failed.metadata!.annotations![failExpansionAnnotation];
    expect(decide({ claim: failed, volume: volume() })).toMatchObject({ do: "expand" });
  });

  test("that is infeasible is not tried again before something changes", () => {
    const asked = bound({ request: "2Gi", annotations: { [failExpansionAnnotation]: "infeasible" } });
    const started = patched(asked, expansionStarted(asked, "2Gi", now));
    const failed = patched(started, expansionFailed(started, "too large", true, now));
    expect(failed.status?.allocatedResourceStatuses).toEqual({ storage: "ControllerResizeInfeasible" });
    expect(decide({ claim: failed, volume: volume() })).toMatchObject({ do: "nothing" });
    const smaller = structuredClone(failed);
    smaller.spec!.resources!.requests = { storage: "1536Mi" };
    expect(decide({ claim: smaller, volume: volume() })).toMatchObject({ do: "start expansion", capacity: "1536Mi" });
    delete failed.metadata!.annotations![failExpansionAnnotation];
    expect(decide({ claim: failed, volume: volume() })).toMatchObject({ do: "start expansion", capacity: "2Gi" });
  });

  test("keeps the conditions that others set", () => {
    const other = { type: "ModifyingVolume", status: "True", lastTransitionTime: now };
    const asked = bound({ request: "2Gi", status: { conditions: [other] } });
    const started = patched(asked, expansionStarted(asked, "2Gi", now));
    expect(started.status?.conditions?.map(({ type }) => type)).toEqual(["ModifyingVolume", "Resizing"]);
    expect(patched(started, expansionFinished(started, "2Gi")).status?.conditions).toEqual([other]);
  });
});
