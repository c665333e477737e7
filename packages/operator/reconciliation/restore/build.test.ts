import type { RestoreSpec } from "@moco-ts/api";
import { expect, test } from "vitest";
import { testCluster, testJobConfig } from "../testing/clusters.ts";
import { buildRestoreJob, buildRestoreRole, buildRestoreRoleBinding } from "./build.ts";

const cluster = testCluster();
const restore: RestoreSpec = {
  sourceNamespace: "old",
  sourceName: "source",
  restorePoint: "2026-01-31T21:02:03+09:00",
  jobConfig: testJobConfig(),
};
const labels = {
  "app.kubernetes.io/name": "mysql-backup",
  "app.kubernetes.io/instance": "test",
  "app.kubernetes.io/created-by": "moco",
};

function build(change: Partial<RestoreSpec> = {}, defaultSecurityContext = true) {
  return buildRestoreJob({ cluster, restore: { ...restore, ...change }, image: "backup:1", defaultSecurityContext });
}

test("the Job runs once, as the administrator", () => {
  expect(build()).toMatchObject({
    metadata: { name: "moco-restore-test", namespace: "shop", labels },
    spec: {
      backoffLimit: 0,
      template: {
        metadata: { labels },
        spec: {
          restartPolicy: "Never",
          serviceAccountName: "backup-owner",
          securityContext: { fsGroup: 10000, fsGroupChangePolicy: "OnRootMismatch" },
          volumes: [{ name: "work", emptyDir: {} }],
          containers: [
            {
              name: "restore",
              image: "backup:1",
              env: [
                {
                  name: "MYSQL_PASSWORD",
                  valueFrom: { secretKeyRef: { name: "moco-test", key: "ADMIN_PASSWORD" } },
                },
              ],
              securityContext: { runAsUser: 10000, runAsGroup: 10000, readOnlyRootFilesystem: true },
            },
          ],
        },
      },
    },
  });
});

test.each([
  ["all", {}, ["", ""]],
  ["a schema", { schema: "db" }, ["db", ""]],
  ["users", { users: "a,b" }, ["", "a,b"]],
])("it is told what to restore: %s", (_, change, what) => {
  const [container] = build(change).spec!.template!.spec!.containers!;
  const where = ["--threads=4", "--backend-type=s3", "my-bucket", "old", "source", "shop", "test", "20260131-120203"];
  expect(container!.args).toEqual(["restore", ...where, ...what]);
});

test("it runs where the user wants it", () => {
  const jobConfig = testJobConfig({ affinity: { nodeAffinity: {} } });
  expect(build({ jobConfig }).spec!.template!.spec!.affinity).toEqual({ nodeAffinity: {} });
});

test("users and groups are the image's own if the defaults are disabled", () => {
  const { securityContext, containers } = build({}, false).spec!.template!.spec!;
  expect(securityContext).toEqual({ fsGroupChangePolicy: "OnRootMismatch" });
  expect(containers![0]!.securityContext).toEqual({ readOnlyRootFilesystem: true });
});

test("a restore point that is no time is an error that names it", () => {
  expect(() => build({ restorePoint: "yesterday" })).toThrow(
    expect.objectContaining({
      code: "RESTORE_POINT_INVALID",
      message: "spec.restore.restorePoint is not a time: yesterday",
    }),
  );
});

test("the Role lets the Job report and find Pods, and is bound to the ServiceAccount that the user names", () => {
  expect(buildRestoreRole(cluster)).toMatchObject({
    metadata: { name: "moco-restore-test", namespace: "shop", labels },
    rules: [
      {
        apiGroups: ["moco.cybozu.com"],
        resources: ["mysqlclusters", "mysqlclusters/status"],
        resourceNames: ["test"],
        verbs: ["get", "update"],
      },
      { apiGroups: [""], resources: ["pods"], verbs: ["get"] },
      { apiGroups: [""], resources: ["events"], verbs: ["create"] },
    ],
  });
  expect(buildRestoreRoleBinding(cluster, restore)).toMatchObject({
    metadata: { name: "moco-restore-test", namespace: "shop", labels },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "moco-restore-test" },
    subjects: [{ kind: "ServiceAccount", name: "backup-owner", namespace: "shop" }],
  });
});
