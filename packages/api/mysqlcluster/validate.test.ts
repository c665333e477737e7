import type { StorageClass } from "@moco-ts/kube";
import { describe, expect, test } from "vitest";
import { annotationKeys } from "../annotations.ts";
import { claimTemplate, testCluster, testJobConfig } from "../testing/manifests.ts";
import { wrongChanges, wrongClusters } from "../testing/wrong-clusters.ts";
import { describeCauses } from "../validation/cause.ts";
import type { MySQLClusterSpec } from "./types.ts";
import { validateMySQLCluster, validateMySQLClusterCreation, validateMySQLClusterUpdate } from "./validate.ts";
import { growsStorage } from "./validate-volumes.ts";

const isDefault = "storageclass.kubernetes.io/is-default-class";

function storageClass(name: string, allowVolumeExpansion: boolean, annotations: Record<string, string> = {}) {
  const metadata = { name, annotations, creationTimestamp: "2026-01-01T00:00:00Z" };
  return { metadata, provisioner: "test", allowVolumeExpansion } satisfies StorageClass;
}

const classes = [storageClass("growing", true, { [isDefault]: "true" }), storageClass("rigid", false)];

test("there are enough ways to be wrong", () => {
  expect(wrongClusters.length + wrongChanges.length).toBeGreaterThanOrEqual(50);
});

describe("a new cluster is told what is wrong with it, and nothing else", () => {
  test.each(wrongClusters)("$title", ({ cluster, field, problem }) => {
    const causes = validateMySQLClusterCreation(cluster);
    expect(causes).toContainEqual({ reason: expect.any(String), field, message: expect.stringContaining(problem) });
    expect(new Set(causes.map((cause) => cause.field))).toEqual(new Set([field]));
  });
});

describe("a change is told what is wrong with it, and nothing else", () => {
  test.each(wrongChanges)("$title", ({ cluster, old, field, problem }) => {
    const causes = validateMySQLClusterUpdate(cluster, old, classes);
    expect(causes).toContainEqual({ reason: expect.any(String), field, message: expect.stringContaining(problem) });
    expect(new Set(causes.map((cause) => cause.field))).toEqual(new Set([field]));
  });
});

describe("what is right passes", () => {
  const side = (name: string) => ({ spec: { containers: [{ name: "mysqld" }, { name }] } });
  test.each<[string, Partial<MySQLClusterSpec>]>([
    ["the least", {}],
    ["many instances", { replicas: 99 }],
    ["no schedule", { logRotationSchedule: "" }],
    ["a schedule in words", { logRotationSchedule: "@every 1h" }],
    [
      "a container slow-log, if ours is switched off",
      { disableSlowQueryLogContainer: true, podTemplate: side("slow-log") },
    ],
    ["a container mysqld-exporter, if ours does not run", { collectors: [], podTemplate: side("mysqld-exporter") }],
    [
      "ports of other containers",
      { podTemplate: { spec: { containers: [{ name: "mysqld" }, { name: "a", ports: [{ containerPort: 3306 }] }] } } },
    ],
    ["a size in plain bytes", { volumeClaimTemplates: [claimTemplate("mysql-data", 1073741824 as never)] }],
  ])("%s", (_, spec) => {
    expect(describeCauses(validateMySQLClusterCreation(testCluster(spec)))).toBe("");
  });

  test("a name of 40 characters", () => {
    expect(validateMySQLClusterCreation(testCluster({}, { name: "a".repeat(40) }))).toEqual([]);
  });

  test("a long name of a cluster that exists", () => {
    expect(validateMySQLCluster(testCluster({}, { name: "a".repeat(60) }))).toEqual([]);
  });

  const source = (replicationSourceSecretName: string | null) => ({ replicationSourceSecretName });
  const sized = (storage: string, name?: string) => ({
    volumeClaimTemplates: [claimTemplate("mysql-data", storage, name)],
  });
  const restore = (cpu: number | string) => ({
    restore: {
      sourceName: "a",
      sourceNamespace: "b",
      restorePoint: "2026-01-01T00:00:00Z",
      jobConfig: testJobConfig({ cpu }),
    },
  });
  test.each<[string, Partial<MySQLClusterSpec>, Partial<MySQLClusterSpec>]>([
    ["more instances", { replicas: 1 }, { replicas: 3 }],
    ["the end of replication", source("donor"), source(null)],
    ["the same donor", source("donor"), { ...source("donor"), replicas: 3 }],
    ["the same restore, written in another way", restore(4), restore("4")],
    ["more storage", sized("1Gi", "growing"), sized("2Gi", "growing")],
    ["more storage of the default class", sized("1Gi"), sized("2Gi")],
    ["the same storage, written in another way", sized("1Gi", "rigid"), sized("1024Mi", "rigid")],
    [
      "a further volume",
      {},
      { volumeClaimTemplates: [claimTemplate("mysql-data", "1Gi"), claimTemplate("b", "1Gi", "rigid")] },
    ],
  ])("%s", (_, from, to) => {
    expect(describeCauses(validateMySQLClusterUpdate(testCluster(to), testCluster(from), classes))).toBe("");
  });
});

test("a cluster that is wrong already can still be annotated and deleted", () => {
  const old = testCluster({ replicas: 2 });
  const annotated = testCluster({ replicas: 2 }, { annotations: { a: "1" }, finalizers: [] });
  expect(validateMySQLClusterUpdate(annotated, old, [])).toEqual([]);
});

test("with the annotation, templates may shrink", () => {
  const [old, cluster] = ["2Gi", "1Gi"].map((storage) =>
    testCluster(
      { volumeClaimTemplates: [claimTemplate("mysql-data", storage)] },
      { annotations: { [annotationKeys.allowVolumeReduction]: "true" } },
    ),
  );
  expect(validateMySQLClusterUpdate(cluster!, old!, classes)).toEqual([]);
});

describe("the default StorageClass", () => {
  const grown = testCluster({ volumeClaimTemplates: [claimTemplate("mysql-data", "2Gi")] });
  const judge = (...storageClasses: StorageClass[]) =>
    describeCauses(validateMySQLClusterUpdate(grown, testCluster(), storageClasses));

  test("must be there", () => {
    expect(judge(storageClass("other", true))).toContain("not found default storage class");
  });
  test("must be able to grow", () => {
    const text = 'default storage class "rigid" is not allowed to expand volume';
    expect(judge(storageClass("rigid", false, { [isDefault]: "true" }))).toContain(text);
  });
  test("may have the old mark", () => {
    expect(judge(storageClass("old", true, { "storageclass.beta.kubernetes.io/is-default-class": "true" }))).toBe("");
  });
  test("is the newest of several", () => {
    const old = storageClass("old", false, { [isDefault]: "true" });
    const young = storageClass("young", true, { [isDefault]: "true" });
    young.metadata.creationTimestamp = "2026-02-01T00:00:00Z";
    expect(judge(old, young)).toBe("");
    expect(judge(young, old)).toBe("");
  });
  test("matters only if something grows", () => {
    expect(growsStorage(grown, testCluster())).toBe(true);
    expect(growsStorage(testCluster(), grown)).toBe(false);
    expect(growsStorage(grown, grown)).toBe(false);
  });
});
