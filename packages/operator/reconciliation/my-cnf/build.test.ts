import { contentHash } from "@moco-ts/api";
import type { ConfigMap } from "@moco-ts/kube";
import { expect, test } from "vitest";
import { testCluster } from "../testing/clusters.ts";
import { mocoCluster, mocoConfigMaps, mocoObject, mocoUserOptions } from "../testing/moco.ts";
import { buildMyCnfConfigMap } from "./build.ts";

/** The MOCO that made the fixtures was patched for MySQL 9.7, which does not know these. */
const patchedAway = /^(innodb_log_files_in_group|temptable_use_mmap) = .*\n/gm;

test("the ConfigMap is what MOCO makes", () => {
  const built = buildMyCnfConfigMap({ cluster: mocoCluster(), version: 1, userOptions: mocoUserOptions });
  const stored = mocoObject("ConfigMap", mocoConfigMaps.myCnf) as ConfigMap;
  const contents = built.data!["my.cnf"]!;
  expect(contents.replaceAll(patchedAway, "")).toBe(stored.data!["my.cnf"]);
  expect({ ...built.metadata, name: mocoConfigMaps.myCnf }).toEqual(stored.metadata);
  expect(built.metadata.name).toBe(`moco-full.${contentHash(contents)}`);
});

test("other contents are another ConfigMap", () => {
  const name = (userOptions: Record<string, string>, version: 1 | 2 = 1) =>
    buildMyCnfConfigMap({ cluster: testCluster(), version, userOptions }).metadata.name;
  expect(name({})).toBe(name({}));
  expect(new Set([name({}), name({ long_query_time: "0" }), name({}, 2)]).size).toBe(3);
});

test("certificates are where the container has them", () => {
  const volumeMounts = [{ name: "own", mountPath: "/grpc-cert" }];
  const cluster = testCluster({ podTemplate: { spec: { containers: [{ name: "mysqld", volumeMounts }] } } });
  const { data } = buildMyCnfConfigMap({ cluster, version: 2, userOptions: {} });
  expect(data!["my.cnf"]).toContain("\nssl_cert = /grpc-cert-2/tls.crt\n");
});

test.each([
  ["what mysqld requests", { requests: { memory: "1Gi" }, limits: { memory: "2Gi" } }, 716],
  ["its limit, if it requests nothing", { limits: { memory: "2Gi" } }, 1433],
  ["its limit, if it requests 0", { requests: { memory: "0" }, limits: { memory: "2Gi" } }, 1433],
  ["a number of bytes", { requests: { memory: 1073741824 } }, 716],
  ["nothing", undefined, 128],
])("the buffer pool follows %s", (_, resources, mebibytes) => {
  const mysqld = { name: "mysqld", image: "mysql:8.4", resources: resources as { requests?: Record<string, string> } };
  const cluster = testCluster({ podTemplate: { spec: { containers: [{ name: "first" }, mysqld] } } });
  const { data } = buildMyCnfConfigMap({ cluster, version: 2, userOptions: {} });
  expect(data!["my.cnf"]).toContain(`\ninnodb_buffer_pool_size = ${mebibytes * 2 ** 20}\n`);
});
