import {
  defaultMySQLCluster,
  validateBackupPolicy,
  validateMySQLCluster,
  type BackupPolicy,
  type MySQLCluster,
} from "@moco-ts/api";
import type { Configuration, StatefulSet } from "@moco-ts/kube";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { buildBackupCronJob, buildBackupRole, buildBackupRoleBinding } from "./backup/build.ts";
import { certificateRequest } from "./certificates/build.ts";
import { buildFluentBitConfigMap } from "./fluent-bit/build.ts";
import { planInstances } from "./plan.ts";
import { buildPodDisruptionBudget } from "./pod-disruption-budget/build.ts";
import { buildServiceAccount } from "./service-account/build.ts";
import { buildHeadlessService, buildPrimaryService, buildReplicaService } from "./services/build.ts";
import { buildStatefulSet } from "./stateful-set/build.ts";
import { testJobConfig, testPolicy } from "./testing/clusters.ts";
import { testImages } from "./testing/instances.ts";
import { mocoCluster, mocoStatefulSet, mocoUserOptions } from "./testing/moco.ts";
import { mutated, mutations, type Mutation } from "./testing/mutations.ts";

const base = mocoCluster();
const settings = { numRuns: 500, maxSkipsPerRun: 20 };
const patience = { timeout: 60_000 };

/** As the API server and the webhook would store it; undefined if they would not. */
function accepted(steps: readonly Mutation[]): MySQLCluster | undefined {
  const { spec, ...rest } = base;
  const { replicas, maxDelaySeconds, startupWaitSeconds, ...given } = mutated(spec, steps);
  const defaulted = {
    ...given,
    replicas: replicas ?? 1,
    maxDelaySeconds: maxDelaySeconds ?? 60,
    startupWaitSeconds: startupWaitSeconds ?? 3600,
  };
  const cluster = defaultMySQLCluster({ ...rest, spec: defaulted }, () => 5);
  return validateMySQLCluster(cluster).length === 0 ? deepFreeze(cluster) : undefined;
}

/** Everything that is made of a cluster. */
function buildAll(cluster: MySQLCluster, userOptions: Record<string, string>, live?: StatefulSet) {
  return {
    services: [buildHeadlessService, buildPrimaryService, buildReplicaService].map((build) => build(cluster)),
    serviceAccount: buildServiceAccount(cluster),
    budget: buildPodDisruptionBudget(cluster, { backupIsRunning: false }),
    fluentBit: buildFluentBitConfigMap(cluster),
    certificate: certificateRequest(cluster),
    instances: planInstances({ cluster, live, images: testImages, userOptions, changesPods: () => true }),
  };
}

/** Statefulsets of both versions. */
function statefulSets(cluster: MySQLCluster): Configuration<StatefulSet>[] {
  const fluentBit = buildFluentBitConfigMap(cluster)?.metadata.name;
  const configMaps = { myCnf: "moco-full.1", fluentBit };
  return ([1, 2] as const).map((version) =>
    buildStatefulSet({ cluster, version, images: testImages, configMaps, userOptions: {} }),
  );
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

const options = fc.dictionary(
  fc.constantFrom(...Object.keys(mocoUserOptions), "max_connections", "innodb-buffer-pool-size", "log_bin", "ssl_ca"),
  fc.string(),
);

test("of 10,000 manifests, what validation accepts can be built", patience, () => {
  const live = deepFreeze(mocoStatefulSet());
  let built = 0;
  fc.assert(
    fc.property(mutations, options, fc.boolean(), (steps, userOptions, exists) => {
      const cluster = accepted(steps);
      if (cluster === undefined) return;
      buildAll(cluster, userOptions, exists ? live : undefined);
      built++;
    }),
    { numRuns: 10_000 },
  );
  expect(built).toBeGreaterThan(1_000);
});

test("what is built is always the same, says nothing without a value, and never the partition", patience, () => {
  fc.assert(
    fc.property(mutations, options, (steps, userOptions) => {
      const cluster = accepted(steps);
      fc.pre(cluster !== undefined);
      const text = JSON.stringify(buildAll(cluster, deepFreeze(userOptions)));
      expect(JSON.stringify(buildAll(cluster, userOptions))).toBe(text);
      expect(text).not.toMatch(/:null|\[null|"partition"/);
    }),
    settings,
  );
});

test("Pods are selected by their labels, begin with mysqld, and have the volumes that ours mount", patience, () => {
  const added = new Set(["agent", "slow-log", "mysqld-exporter", "copy-moco-init", "moco-init"]);
  fc.assert(
    fc.property(mutations, (steps) => {
      const cluster = accepted(steps);
      fc.pre(cluster !== undefined);
      for (const { spec } of statefulSets(cluster)) {
        const { metadata, spec: pod } = spec!.template!;
        expect(metadata!.labels).toMatchObject(spec!.selector!.matchLabels!);
        expect(pod!.containers!.slice(0, 2).map(({ name }) => name)).toEqual(["mysqld", "agent"]);
        const claims = spec!.volumeClaimTemplates!.map((claim) => claim.metadata!.name);
        const volumes = [...claims, ...pod!.volumes!.map(({ name }) => name)];
        const ours = [...pod!.initContainers!, ...pod!.containers!].filter(({ name }) => added.has(name!));
        for (const { volumeMounts } of ours) for (const { name } of volumeMounts!) expect(volumes).toContain(name);
      }
    }),
    settings,
  );
});

test("version 1 depends on nothing that only version 2 has", patience, () => {
  fc.assert(
    fc.property(mutations, fc.string(), (steps, agent) => {
      const cluster = accepted(steps);
      fc.pre(cluster !== undefined);
      const input = { cluster, version: 1, configMaps: { myCnf: "a", fluentBit: "b" }, userOptions: {} } as const;
      const one = JSON.stringify(buildStatefulSet({ ...input, images: testImages }));
      expect(JSON.stringify(buildStatefulSet({ ...input, images: { ...testImages, agent } }))).toBe(one);
      expect(one).not.toMatch(/moco-mysqld|moco-pre-stop/);
    }),
    settings,
  );
});

test("every policy that validation accepts can be built", patience, () => {
  const cluster = deepFreeze(structuredClone(base));
  const jobConfig = testJobConfig({
    maxCpu: 2,
    env: [{ name: "A", value: "b" }],
    volumes: [{ name: "v", emptyDir: {} }],
  });
  const given = testPolicy({ jobConfig, timeZone: "Asia/Tokyo", backoffLimit: 3, startingDeadlineSeconds: 10 });
  fc.assert(
    fc.property(mutations, (steps) => {
      const policy: BackupPolicy = { ...given, spec: mutated(given.spec, steps) };
      fc.pre(hasRequiredFields(policy) && validateBackupPolicy(policy).length === 0);
      const build = () =>
        JSON.stringify([
          buildBackupCronJob({ cluster, policy: deepFreeze(policy), image: "backup:1" }),
          buildBackupRole(cluster),
          buildBackupRoleBinding(cluster, policy),
        ]);
      expect(build()).toBe(build());
      expect(build()).not.toMatch(/:null|\[null/);
    }),
    settings,
  );
});

/** Others the API server does not accept. */
function hasRequiredFields({ spec }: BackupPolicy): boolean {
  const { serviceAccountName, bucketConfig, workVolume } = { ...spec.jobConfig };
  return [spec.schedule, serviceAccountName, bucketConfig?.bucketName, workVolume].every(Boolean);
}
