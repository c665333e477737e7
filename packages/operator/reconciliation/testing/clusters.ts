import type { BackupPolicy, JobConfig, MySQLCluster, MySQLClusterSpec } from "@moco-ts/api";

export const testUid = "00000000-0000-4000-8000-000000000002";

/** The smallest cluster, as the API server gives it: with the defaults of the schema. */
export function testCluster(spec: Partial<MySQLClusterSpec> = {}, metadata: Partial<MySQLCluster["metadata"]> = {}) {
  return {
    metadata: { name: "test", namespace: "shop", uid: testUid, generation: 1, ...metadata },
    spec: {
      replicas: 1,
      serverIDBase: 10,
      maxDelaySeconds: 60,
      maxDelaySecondsForPodDeletion: 0,
      startupWaitSeconds: 3600,
      podTemplate: { spec: { containers: [{ name: "mysqld", image: "mysql:8.4" }] } },
      volumeClaimTemplates: [
        { metadata: { name: "mysql-data" }, spec: { resources: { requests: { storage: "1Gi" } } } },
      ],
      ...spec,
    },
  } satisfies MySQLCluster as MySQLCluster;
}

export function testJobConfig(config: Partial<JobConfig> = {}): JobConfig {
  return {
    serviceAccountName: "backup-owner",
    bucketConfig: { bucketName: "my-bucket", backendType: "s3" },
    workVolume: { emptyDir: {} },
    threads: 4,
    cpu: 4,
    memory: "4Gi",
    ...config,
  };
}

export function testPolicy(spec: Partial<BackupPolicy["spec"]> = {}): BackupPolicy {
  return {
    metadata: { name: "daily", namespace: "shop" },
    spec: { schedule: "@daily", concurrencyPolicy: "Allow", jobConfig: testJobConfig(), ...spec },
  };
}
