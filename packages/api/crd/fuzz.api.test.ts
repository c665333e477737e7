import type { JSONSchemaProps } from "@moco-ts/kube";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { MySQLClusters, type MySQLClusterSpec } from "../mysqlcluster/types.ts";
import { validateMySQLClusterCreation } from "../mysqlcluster/validate.ts";
import { fitting } from "../testing/arbitrary.ts";
import { installDefinitions, readDefinitions, testClient, testNamespace } from "../testing/cluster.ts";
import { testCluster } from "../testing/manifests.ts";
import type { Schema } from "./schema.ts";

async function specSchema(): Promise<Schema> {
  const definitions = await readDefinitions();
  const cluster = definitions.find(({ spec }) => spec.names.kind === "MySQLCluster")!;
  const schema = cluster.spec.versions[0]!.schema!.openAPIV3Schema!;
  return (schema.properties as Record<string, JSONSchemaProps>)["spec"] as Schema;
}

test("what fits the schema and passes validation is taken by the API server", { timeout: 120_000 }, async () => {
  const client = await testClient();
  await installDefinitions(client);
  const namespace = await testNamespace(client);
  const arbitrary = fitting(await specSchema()) as fc.Arbitrary<Partial<MySQLClusterSpec>>;
  const { podTemplate, volumeClaimTemplates, ...base } = testCluster().spec;
  const clusters = fc.sample(arbitrary, 400).map((spec, at) => {
    const pod = spec.podTemplate!;
    const others = (pod.spec.containers ?? []).filter(({ name }) => name !== "mysqld");
    const containers = [...podTemplate.spec.containers!, ...others];
    return testCluster(
      {
        ...base,
        ...spec,
        // Without these nothing would pass.
        replicas: 3,
        serverIDBase: 1,
        logRotationSchedule: "@hourly",
        logRotationSize: 0,
        podTemplate: { ...pod, spec: { ...pod.spec, containers } },
        volumeClaimTemplates,
      },
      { name: `fuzz-${at}`, namespace },
    );
  });
  const accepted = clusters.filter((cluster) => validateMySQLClusterCreation(cluster).length === 0);
  expect(accepted.length).toBeGreaterThan(100);
  for (let at = 0; at < accepted.length; at += 8) {
    const some = accepted.slice(at, at + 8);
    const stored = await Promise.all(some.map((cluster) => client.create(MySQLClusters, cluster, { dryRun: true })));
    stored.forEach(({ spec }, index) => expect(spec).toMatchObject(some[index]!.spec));
  }
});
