import type { ManagedFieldsEntry, StatefulSet } from "@moco-ts/kube";
import { expect, test } from "vitest";
import { buildStatefulSet } from "../reconciliation/stateful-set/build.ts";
import { testCluster } from "../reconciliation/testing/clusters.ts";
import { mocoInput, testInput } from "../reconciliation/testing/instances.ts";
import { mocoCluster, mocoStatefulSet } from "../reconciliation/testing/moco.ts";
import { firstForm, mustBeRecreated, restoredOwnership, successorOf, type Recreation } from "./replacement.ts";

type Templates = ReturnType<typeof testCluster>["spec"]["volumeClaimTemplates"];

const template = (metadata: object = {}, spec: object = {}): Templates[number] => ({
  metadata: { name: "mysql-data", ...metadata },
  spec: { resources: { requests: { storage: "1Gi" } }, ...spec },
});

/** As an API server stores what was wanted, with what it fills in. */
function stored(volumeClaimTemplates: Templates): StatefulSet {
  const { spec, ...rest } = JSON.parse(JSON.stringify(wanted(volumeClaimTemplates))) as StatefulSet;
  return { ...rest, spec: { ...spec!, revisionHistoryLimit: 10 } };
}

function wanted(volumeClaimTemplates: Templates, live?: StatefulSet) {
  return buildStatefulSet(testInput(2, { volumeClaimTemplates }, { live }));
}

const cluster = testCluster();
const differs = (before: Templates, after: Templates): boolean =>
  mustBeRecreated(cluster, stored(before), wanted(after, stored(before)));

test("any change of a template counts, also of nothing but its labels or annotations", () => {
  expect(differs([template()], [template()])).toBe(false);
  expect(differs([template()], [template({}, { resources: { requests: { storage: "2Gi" } } })])).toBe(true);
  expect(differs([template()], [template({ labels: { team: "a" } })])).toBe(true);
  expect(differs([template({ labels: { team: "a" } })], [template()])).toBe(true);
  expect(differs([template()], [template({ annotations: { limit: "9Gi" } })])).toBe(true);
  expect(differs([template()], [template({}, { storageClassName: "other" })])).toBe(true);
  expect(differs([template()], [template(), template({ name: "logs" })])).toBe(true);
});

test("notations and what the API server fills in are no change", () => {
  expect(differs([template()], [template({}, { resources: { requests: { storage: "1024Mi" } } })])).toBe(false);
  expect(differs([template()], [template({}, { volumeMode: "Filesystem" })])).toBe(false);
  expect(differs([template()], [template({ labels: {} })])).toBe(false);
});

test("what MOCO has made is as wanted", () => {
  const live = mocoStatefulSet();
  expect(mustBeRecreated(mocoCluster(), live, buildStatefulSet({ ...mocoInput(), live }))).toBe(false);
});

test("only one's own StatefulSet is made anew, and none that is being deleted", () => {
  const live = stored([template()]);
  const other = wanted([template({ labels: { team: "a" } })], live);
  expect(mustBeRecreated(cluster, live, other)).toBe(true);
  expect(mustBeRecreated(testCluster({}, { uid: "another" }), live, other)).toBe(false);
  expect(mustBeRecreated(cluster, { ...live, metadata: { ...live.metadata, deletionTimestamp: "now" } }, other)).toBe(
    false,
  );
  expect(mustBeRecreated(cluster, undefined, other)).toBe(false);
});

test("the successor is the live one with nothing but other claim templates", () => {
  const live: StatefulSet = {
    ...stored([template()]),
    status: { replicas: 3, currentRevision: "a" },
  };
  live.metadata = {
    ...live.metadata,
    uid: "old",
    resourceVersion: "5",
    generation: 9,
    creationTimestamp: "2026-01-01T00:00:00Z",
    annotations: { theirs: "yes" },
    finalizers: ["theirs/finalizer", "orphan"],
    managedFields: [{ manager: "moco-controller" }, { manager: "kube-controller-manager", subresource: "status" }],
  };
  live.spec!.updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 2 } };
  live.spec!.template.metadata!.annotations = { "kubectl.kubernetes.io/restartedAt": "now" };
  const change = wanted([template({ labels: { team: "a" } })], live);
  const { metadata, spec, status } = successorOf(live, change);
  expect({ ...spec, volumeClaimTemplates: [] }).toEqual({ ...live.spec, volumeClaimTemplates: [] });
  expect(spec?.volumeClaimTemplates?.[0]?.metadata?.labels).toEqual({ team: "a" });
  expect(status).toBeUndefined();
  expect(metadata).toEqual({
    name: "moco-test",
    namespace: "shop",
    labels: live.metadata.labels,
    annotations: { theirs: "yes" },
    finalizers: ["theirs/finalizer"],
    ownerReferences: live.metadata.ownerReferences,
    managedFields: [{ manager: "moco-controller" }],
  });
});

test("in the middle of an update it begins with the older template, and touches no Pod", () => {
  const statefulSet = stored([template()]);
  statefulSet.spec!.replicas = 3;
  statefulSet.spec!.updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 2 } };
  const firstTemplate = { spec: { containers: [{ name: "mysqld", image: "older" }] } };
  const first = firstForm({ replaces: "old", statefulSet, firstTemplate });
  expect(first.spec?.template).toBe(firstTemplate);
  expect(first.spec?.updateStrategy?.rollingUpdate?.partition).toBe(3);
  expect(firstForm({ replaces: "old", statefulSet }).spec).toEqual(statefulSet.spec);
});

test("fields go back to their owners; what others did meanwhile counts more", () => {
  const entry = (manager: string, operation: string, field: string): ManagedFieldsEntry => ({
    manager,
    operation,
    apiVersion: "apps/v1",
    fieldsV1: { [field]: {} },
  });
  const before = [entry("moco-controller", "Apply", "f:a"), entry("moco-rollout", "Apply", "f:old")];
  const live = {
    metadata: {
      managedFields: [
        entry("moco-recreation", "Update", "f:everything"),
        { ...entry("kube-controller-manager", "Update", "f:status"), subresource: "status" },
        entry("moco-rollout", "Apply", "f:new"),
      ],
    },
  } as StatefulSet;
  const recreation = { replaces: "old", statefulSet: { metadata: { managedFields: before } } } as Recreation;
  const value = [live.metadata!.managedFields![1], live.metadata!.managedFields![2], before[0]];
  expect(restoredOwnership(recreation, live)).toEqual([{ op: "replace", path: "/metadata/managedFields", value }]);
});
