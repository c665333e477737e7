import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FieldCause, StorageClass } from "@moco-ts/kube";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import type { BackupPolicy } from "../backuppolicy/types.ts";
import { clustersWithPolicy, validateBackupPolicy } from "../backuppolicy/validate.ts";
import type { Schema } from "../crd/schema.ts";
import { fitting, mutated } from "../testing/arbitrary.ts";
import { testCluster, testPolicy } from "../testing/manifests.ts";
import { wrongClusters } from "../testing/wrong-clusters.ts";
import { defaultMySQLCluster } from "./defaults.ts";
import type { MySQLCluster } from "./types.ts";
import { validateMySQLCluster, validateMySQLClusterCreation, validateMySQLClusterUpdate } from "./validate.ts";
import { growsStorage } from "./validate-volumes.ts";

const root = join(import.meta.dirname, "../../..");

function schemaOf(plural: string): Schema {
  const path = join(root, `charts/moco/generated/crds/${plural}.moco.cybozu.com.yaml`);
  return parse(readFileSync(path, "utf8")).spec.versions[0].schema.openAPIV3Schema;
}

function sampleClusters(): MySQLCluster[] {
  return readdirSync(join(root, "samples"))
    .flatMap((name) => parseAllDocuments(readFileSync(join(root, "samples", name), "utf8")))
    .map((document) => document.toJS())
    .filter(({ kind }) => kind === "MySQLCluster");
}

const storageClasses: StorageClass[] = [{ metadata: { name: "fast" }, provisioner: "test" }];

/** Everything that admission and the loop do with a cluster. */
function judge(cluster: MySQLCluster, old: MySQLCluster): FieldCause[] {
  const stored = defaultMySQLCluster(cluster, () => 1);
  growsStorage(stored, old);
  return [
    ...validateMySQLClusterCreation(stored),
    ...validateMySQLClusterUpdate(stored, old, storageClasses),
    ...validateMySQLClusterUpdate(old, stored, storageClasses),
    ...validateMySQLCluster(cluster),
    ...validateBackupPolicy(cluster as unknown as BackupPolicy),
  ];
}

function isReadable({ reason, field, message }: FieldCause): boolean {
  const known = /^FieldValue(Required|Invalid|Forbidden)$/.test(reason);
  return known && /^(spec|metadata)\./.test(field) && message.length < 500;
}

test("10,000 mutated clusters are defaulted and judged without a throw", { timeout: 60_000 }, () => {
  const clusters = [testCluster(), ...sampleClusters(), ...wrongClusters.map(({ cluster }) => cluster)];
  const pair = fc.constantFrom(...clusters).chain((old) => fc.tuple(mutated(old), fc.constant(old)));
  let refused = 0;
  fc.assert(
    fc.property(pair, ([cluster, old]) => {
      const causes = judge(cluster as MySQLCluster, old);
      expect(causes.filter((cause) => !isReadable(cause))).toEqual([]);
      if (causes.length > 0) refused++;
    }),
    { numRuns: 10_000 },
  );
  // The fuzzer hits what matters.
  expect(refused).toBeGreaterThan(2_000);
});

test("whatever fits the schemas is judged without a throw, and left as it is", { timeout: 60_000 }, () => {
  const clusters = fitting(schemaOf("mysqlclusters")) as fc.Arbitrary<MySQLCluster>;
  const policies = fitting(schemaOf("backuppolicies")) as fc.Arbitrary<BackupPolicy>;
  fc.assert(
    fc.property(clusters, clusters, policies, (cluster, old, policy) => {
      const before = JSON.stringify([cluster, old, policy]);
      judge(cluster, old);
      validateBackupPolicy(policy);
      expect(JSON.stringify([cluster, old, policy])).toBe(before);
    }),
    { numRuns: 300 },
  );
});

test("mutated policies are judged without a throw", () => {
  fc.assert(
    fc.property(mutated(testPolicy({ timeZone: "Asia/Tokyo" })), (policy) => {
      expect(validateBackupPolicy(policy as BackupPolicy)).toBeInstanceOf(Array);
    }),
    { numRuns: 1_000 },
  );
  expect(clustersWithPolicy("a", [{} as MySQLCluster])).toEqual([]);
});
