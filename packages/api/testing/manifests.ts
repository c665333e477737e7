import { apiVersion } from "../group.ts";
import type { BackupPolicy, JobConfig } from "../backuppolicy/types.ts";
import type { MySQLCluster, MySQLClusterSpec } from "../mysqlcluster/types.ts";

/** The smallest cluster that is valid, as the API server gives it. */
export function testCluster(spec: Partial<MySQLClusterSpec> = {}, metadata: Partial<MySQLCluster["metadata"]> = {}) {
  const cluster: MySQLCluster = {
    apiVersion,
    kind: "MySQLCluster",
    metadata: { name: "test", namespace: "default", ...metadata },
    spec: {
      replicas: 1,
      podTemplate: { spec: { containers: [{ name: "mysqld", image: "mysql:8.4" }] } },
      volumeClaimTemplates: [claimTemplate("mysql-data", "1Gi")],
      serverIDBase: 100,
      maxDelaySeconds: 60,
      maxDelaySecondsForPodDeletion: 0,
      startupWaitSeconds: 3600,
      ...spec,
    },
  };
  return cluster;
}

export function claimTemplate(name: string, storage: string, storageClassName?: string) {
  return {
    metadata: { name },
    spec: {
      resources: { requests: { storage } },
      ...(storageClassName !== undefined && { storageClassName }),
    },
  };
}

export function testJobConfig(config: Partial<JobConfig> = {}): JobConfig {
  return {
    serviceAccountName: "backup",
    bucketConfig: { bucketName: "bucket", backendType: "s3" },
    workVolume: { emptyDir: {} },
    threads: 4,
    cpu: 4,
    memory: "4Gi",
    ...config,
  };
}

export function testPolicy(spec: Partial<BackupPolicy["spec"]> = {}, metadata: Partial<BackupPolicy["metadata"]> = {}) {
  const policy: BackupPolicy = {
    apiVersion,
    kind: "BackupPolicy",
    metadata: { name: "test", namespace: "default", ...metadata },
    spec: { schedule: "@daily", jobConfig: testJobConfig(), concurrencyPolicy: "Allow", ...spec },
  };
  return policy;
}
