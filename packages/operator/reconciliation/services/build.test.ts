import type { ServiceTemplate } from "@moco-ts/api";
import { expect, test } from "vitest";
import { testCluster } from "../testing/clusters.ts";
import { buildHeadlessService, buildPrimaryService, buildReplicaService } from "./build.ts";

const labels = {
  "app.kubernetes.io/name": "mysql",
  "app.kubernetes.io/instance": "test",
  "app.kubernetes.io/created-by": "moco",
};
const mysql = { name: "mysql", protocol: "TCP", port: 3306, targetPort: "mysql" };
const mysqlx = { name: "mysqlx", protocol: "TCP", port: 33060, targetPort: "mysqlx" };
const admin = { name: "mysql-admin", protocol: "TCP", port: 33062, targetPort: "mysql-admin" };

const primary = (template: ServiceTemplate) => buildPrimaryService(testCluster({ primaryServiceTemplate: template }));

test("the headless Service knows all Pods, Ready or not", () => {
  expect(buildHeadlessService(testCluster())).toMatchObject({
    metadata: { name: "moco-test", namespace: "shop", labels },
    spec: {
      type: "ClusterIP",
      clusterIP: "None",
      publishNotReadyAddresses: true,
      selector: labels,
      ports: [mysql, mysqlx, admin],
    },
  });
});

test.each([
  ["primary", buildPrimaryService],
  ["replica", buildReplicaService],
])("the %s Service knows the Pods of that role", (role, build) => {
  expect(build(testCluster())).toEqual({
    metadata: {
      name: `moco-test-${role}`,
      namespace: "shop",
      labels,
      ownerReferences: [expect.objectContaining({ kind: "MySQLCluster", name: "test", controller: true })],
    },
    spec: { selector: { ...labels, "moco.cybozu.com/role": role }, ports: [mysql, mysqlx] },
  });
});

test("each Service has its own template", () => {
  const cluster = testCluster({
    primaryServiceTemplate: { metadata: { annotations: { for: "primary" } } },
    replicaServiceTemplate: { spec: { type: "NodePort" } },
  });
  expect(buildPrimaryService(cluster).metadata.annotations).toEqual({ for: "primary" });
  expect(buildPrimaryService(cluster).spec?.type).toBeUndefined();
  expect(buildReplicaService(cluster).metadata.annotations).toBeUndefined();
  expect(buildReplicaService(cluster).spec?.type).toBe("NodePort");
  expect(buildHeadlessService(cluster)).toEqual(buildHeadlessService(testCluster()));
});

test("a template adds labels, but does not change ours", () => {
  const service = primary({ metadata: { labels: { tier: "db", "app.kubernetes.io/instance": "other" } } });
  expect(service.metadata.labels).toEqual({ tier: "db", ...labels });
});

test("a template can't change the selector", () => {
  expect(primary({ spec: { selector: { app: "other" } } }).spec?.selector).toEqual({
    ...labels,
    "moco.cybozu.com/role": "primary",
  });
});

test.each<[string, NonNullable<ServiceTemplate["spec"]>["ports"], object[]]>([
  ["a node port is kept", [{ name: "mysql", port: 3306, nodePort: 31306 }], [{ ...mysql, nodePort: 31306 }, mysqlx]],
  [
    "port, target and protocol are forced",
    [{ name: "mysqlx", port: 1, targetPort: "other", protocol: "UDP", appProtocol: "mysqlx" }],
    [{ ...mysqlx, appProtocol: "mysqlx" }, mysql],
  ],
  ["other ports are kept", [{ name: "extra", port: 9999 }], [{ name: "extra", port: 9999 }, mysql, mysqlx]],
  ["a port without a name is kept", [{ port: 9999 }], [{ port: 9999 }, mysql, mysqlx]],
  ["no ports at all", [], [mysql, mysqlx]],
])("%s", (_, given = [], expected) => {
  expect(primary({ spec: { ports: given } }).spec?.ports).toEqual(expected);
});

test("a template that says nothing changes nothing", () => {
  const blank = { metadata: { annotations: {}, labels: null }, spec: null } as unknown as ServiceTemplate;
  expect(primary(blank)).toEqual(buildPrimaryService(testCluster()));
});
