import { randomInt } from "node:crypto";
import { expect, test } from "vitest";
import { testCluster } from "../testing/manifests.ts";
import { defaultMySQLCluster } from "./defaults.ts";

test("a new cluster gets the finalizer and server_ids", () => {
  const cluster = Object.freeze(testCluster({ serverIDBase: 0 }, { finalizers: ["other"] }));
  const { metadata, spec } = defaultMySQLCluster(cluster, () => 41);
  expect(metadata.finalizers).toEqual(["other", "moco.cybozu.com/mysqlcluster"]);
  expect(spec.serverIDBase).toBe(42);
  expect(cluster.spec.serverIDBase).toBe(0);
});

test("what is there stays", () => {
  const cluster = testCluster({ serverIDBase: 7 }, { finalizers: ["moco.cybozu.com/mysqlcluster"] });
  expect(defaultMySQLCluster(cluster, () => 41)).toEqual(cluster);
});

test.each([undefined, null, 0])("a base of %s is none", (serverIDBase) => {
  const cluster = testCluster({ serverIDBase: serverIDBase as number });
  const limits: number[] = [];
  const random = (limit: number): number => limits.push(limit) - 1;
  expect(defaultMySQLCluster(cluster, random).spec.serverIDBase).toBe(1);
  expect(limits).toEqual([2 ** 30]);
});

test("bases are from 1 to 2^30", () => {
  for (let round = 0; round < 1000; round++) {
    const base = defaultMySQLCluster(testCluster({ serverIDBase: 0 }), randomInt).spec.serverIDBase!;
    expect(base).toBeGreaterThanOrEqual(1);
    expect(base).toBeLessThanOrEqual(2 ** 30);
  }
});
