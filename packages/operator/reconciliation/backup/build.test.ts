import { expect, test } from "vitest";
import { testCluster, testJobConfig, testPolicy, testUid } from "../testing/clusters.ts";
import { buildBackupCronJob, buildBackupRole, buildBackupRoleBinding } from "./build.ts";

const cluster = testCluster();
const labels = {
  "app.kubernetes.io/name": "mysql-backup",
  "app.kubernetes.io/instance": "test",
  "app.kubernetes.io/created-by": "moco",
};
const metadata = {
  name: "moco-backup-test",
  namespace: "shop",
  labels,
  ownerReferences: [
    {
      apiVersion: "moco.cybozu.com/v1beta2",
      kind: "MySQLCluster",
      name: "test",
      uid: testUid,
      controller: true,
      blockOwnerDeletion: true,
    },
  ],
};

function podOf(policy = testPolicy(), defaultSecurityContext = true) {
  const cronJob = buildBackupCronJob({ cluster, policy, image: "backup:1", defaultSecurityContext });
  return cronJob.spec!.jobTemplate!.spec!.template!.spec!;
}

test("the CronJob of a simple policy", () => {
  expect(buildBackupCronJob({ cluster, policy: testPolicy(), image: "backup:1" })).toEqual({
    metadata,
    spec: {
      schedule: "@daily",
      concurrencyPolicy: "Allow",
      jobTemplate: {
        metadata: { labels },
        spec: {
          template: {
            metadata: { labels },
            spec: {
              restartPolicy: "Never",
              serviceAccountName: "backup-owner",
              affinity: {
                podAntiAffinity: {
                  preferredDuringSchedulingIgnoredDuringExecution: [
                    {
                      weight: 100,
                      podAffinityTerm: {
                        topologyKey: "kubernetes.io/hostname",
                        labelSelector: {
                          matchExpressions: [
                            { key: "app.kubernetes.io/name", operator: "In", values: ["mysql-backup"] },
                            { key: "app.kubernetes.io/created-by", operator: "In", values: ["moco"] },
                          ],
                        },
                      },
                    },
                  ],
                },
              },
              securityContext: { fsGroup: 10000, fsGroupChangePolicy: "OnRootMismatch" },
              volumes: [{ name: "work", emptyDir: {} }],
              containers: [
                {
                  name: "backup",
                  image: "backup:1",
                  args: ["backup", "--threads=4", "--backend-type=s3", "my-bucket", "shop", "test"],
                  env: [
                    {
                      name: "MYSQL_PASSWORD",
                      valueFrom: { secretKeyRef: { name: "moco-test", key: "BACKUP_PASSWORD" } },
                    },
                  ],
                  volumeMounts: [{ name: "work", mountPath: "/work" }],
                  securityContext: { runAsUser: 10000, runAsGroup: 10000, readOnlyRootFilesystem: true },
                  resources: { requests: { cpu: "4", memory: "4Gi" } },
                },
              ],
            },
          },
        },
      },
    },
  });
});

test("settings of the policy reach the CronJob or its Jobs; null means unset", () => {
  const policy = testPolicy({
    timeZone: "Asia/Tokyo",
    startingDeadlineSeconds: 10,
    concurrencyPolicy: "Forbid",
    activeDeadlineSeconds: 100,
    backoffLimit: 0,
    successfulJobsHistoryLimit: 0,
    failedJobsHistoryLimit: null,
  });
  const { jobTemplate, ...spec } = buildBackupCronJob({ cluster, policy, image: "backup:1" }).spec!;
  expect(spec).toEqual({
    schedule: "@daily",
    timeZone: "Asia/Tokyo",
    startingDeadlineSeconds: 10,
    concurrencyPolicy: "Forbid",
    successfulJobsHistoryLimit: 0,
  });
  expect(jobTemplate!.spec).toMatchObject({ activeDeadlineSeconds: 100, backoffLimit: 0 });
});

test("settings of the Job reach its Pod", () => {
  const jobConfig = testJobConfig({
    threads: 2,
    bucketConfig: {
      bucketName: "$(BUCKET)",
      backendType: "azure",
      region: "us-east-1",
      endpointURL: "https://store",
      usePathStyle: true,
      caCert: "/ca/ca.crt",
    },
    workVolume: { ephemeral: { volumeClaimTemplate: { spec: { accessModes: ["ReadWriteOnce"] } } } },
    env: [{ name: "BUCKET", value: "b" }],
    envFrom: [{ secretRef: { name: "keys" } }],
    volumes: [{ name: "ca", configMap: { name: "ca" } }],
    volumeMounts: [{ name: "ca", mountPath: "/ca" }],
    affinity: { nodeAffinity: {} },
    cpu: null,
    memory: "1Gi",
    maxCpu: 2,
    maxMemory: "3Gi",
  });
  const spec = podOf(testPolicy({ jobConfig }));
  expect(spec.affinity).toEqual({ nodeAffinity: {} });
  expect(spec.volumes).toEqual([
    { name: "work", ephemeral: { volumeClaimTemplate: { spec: { accessModes: ["ReadWriteOnce"] } } } },
    { name: "ca", configMap: { name: "ca" } },
  ]);
  expect(spec.containers![0]).toMatchObject({
    args: [
      "backup",
      "--threads=2",
      "--region=us-east-1",
      "--endpoint=https://store",
      "--use-path-style",
      "--backend-type=azure",
      "--ca-cert=/ca/ca.crt",
      "$(BUCKET)",
      "shop",
      "test",
    ],
    env: [{ name: "MYSQL_PASSWORD" }, { name: "BUCKET", value: "b" }],
    envFrom: [{ secretRef: { name: "keys" } }],
    volumeMounts: [
      { name: "work", mountPath: "/work" },
      { name: "ca", mountPath: "/ca" },
    ],
    resources: { requests: { memory: "1Gi" }, limits: { cpu: "2", memory: "3Gi" } },
  });
});

test("a Job that requests nothing", () => {
  const jobConfig = testJobConfig({ cpu: null, memory: null });
  expect(podOf(testPolicy({ jobConfig })).containers![0]!.resources).toEqual({});
});

test("users and groups are the image's own if the defaults are disabled", () => {
  const spec = podOf(testPolicy(), false);
  expect(spec.securityContext).toEqual({ fsGroupChangePolicy: "OnRootMismatch" });
  expect(spec.containers![0]!.securityContext).toEqual({ readOnlyRootFilesystem: true });
});

test("the Role lets a Job report, find Pods and tell of it", () => {
  expect(buildBackupRole(cluster)).toEqual({
    metadata,
    rules: [
      {
        apiGroups: ["moco.cybozu.com"],
        resources: ["mysqlclusters", "mysqlclusters/status"],
        resourceNames: ["test"],
        verbs: ["get", "update"],
      },
      { apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch"] },
      { apiGroups: [""], resources: ["events"], verbs: ["create", "update", "patch"] },
    ],
  });
});

test("the RoleBinding is for the policy's ServiceAccount", () => {
  expect(buildBackupRoleBinding(cluster, testPolicy())).toEqual({
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "moco-backup-test" },
    subjects: [{ kind: "ServiceAccount", name: "backup-owner", namespace: "shop" }],
  });
});
