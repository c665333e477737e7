import { BackupPolicies, MySQLClusters, type MySQLCluster } from "@moco-ts/api";
import { testCluster, testPolicy, wrongChanges, wrongClusters } from "@moco-ts/api/testing";
import { StorageClasses, type Client } from "@moco-ts/kube";
import { expect, onTestFinished, test } from "vitest";
import { testAdmission } from "../testing/admission.ts";

test("a new cluster is stored with the finalizer and a random base of server_ids", async () => {
  const { client, namespace, start } = await testAdmission();
  await start();
  const bases = new Set<number>();
  for (const name of ["a", "b", "c"]) {
    const { serverIDBase: _, ...spec } = testCluster().spec;
    const stored = await client.create(MySQLClusters, { metadata: { name, namespace }, spec });
    expect(stored.metadata.finalizers).toEqual(["moco.cybozu.com/mysqlcluster"]);
    expect(stored.spec.serverIDBase).toBeGreaterThanOrEqual(1);
    expect(stored.spec.serverIDBase).toBeLessThanOrEqual(2 ** 30);
    bases.add(stored.spec.serverIDBase!);
    await release(client, stored);
  }
  expect(bases.size).toBe(3);
});

test("a cluster that is wrong in any of the known ways is refused with a text that says how", async () => {
  const { client, namespace, start } = await testAdmission();
  await start();
  for (const { title, cluster, field, problem, bySchema } of wrongClusters) {
    const object = { ...cluster, metadata: { ...cluster.metadata, namespace } };
    const refusal = await refusalOf(client.create(MySQLClusters, object, { dryRun: true }));
    expect.soft(refusal, title).toContain(bySchema ?? problem);
    expect.soft(refusal, title).toContain(bySchema === undefined ? `${field}: ` : field);
  }
});

test("a change that can't be made is refused with a text that says why", async () => {
  const { client, namespace, start } = await testAdmission();
  await start();
  for (const [name, allowVolumeExpansion] of [
    ["growing", true],
    ["rigid", false],
  ] as const) {
    await client.create(StorageClasses, { metadata: { name }, provisioner: "test", allowVolumeExpansion });
    onTestFinished(async () => {
      await client.delete(StorageClasses, { name });
    });
  }
  for (const [at, { title, cluster, old, field, problem }] of wrongChanges.entries()) {
    const stored = await client.create(MySQLClusters, { ...old, metadata: { name: `c-${at}`, namespace } });
    const changed = { ...stored, spec: cluster.spec };
    const refusal = await refusalOf(client.update(MySQLClusters, changed, { dryRun: true }));
    expect.soft(refusal, title).toContain(`${field}: `);
    expect.soft(refusal, title).toContain(problem);
    await release(client, stored);
  }
});

test("a cluster that was stored while the webhooks were away can be annotated and put right", async () => {
  const { client, namespace, start } = await testAdmission();
  const key = { namespace, name: "wrong" };
  await client.create(MySQLClusters, testCluster({ replicas: 2 }, { ...key, finalizers: ["example.com/kept"] }));
  await start();
  const patch = (body: object) => client.patch(MySQLClusters, key, { type: "merge", body });
  const annotated = await patch({ metadata: { annotations: { a: "1" } } });
  expect(annotated.metadata.annotations).toEqual({ a: "1" });
  expect(await refusalOf(patch({ spec: { offline: true } }))).toContain("replicas must be a positive odd number");
  expect((await patch({ spec: { replicas: 3 } })).spec.replicas).toBe(3);
  await release(client, annotated);
});

test("what is not even an object of the right form is refused by the schema, not by a failure of ours", async () => {
  const { client, namespace, start } = await testAdmission();
  await start();
  const wild: unknown[] = [
    "text",
    [],
    { podTemplate: "text" },
    { podTemplate: { spec: { containers: "mysqld" } } },
    { podTemplate: { spec: { containers: [null] } } },
    { serverIDBase: "many" },
    {},
  ];
  for (const spec of wild) {
    const object = { ...testCluster({}, { namespace }), spec } as MySQLCluster;
    await expect(client.create(MySQLClusters, object, { dryRun: true })).rejects.toMatchObject({ status: 422 });
  }
});

test("a policy must have a schedule, and stays as long as a cluster refers to it", async () => {
  const { client, namespace, start } = await testAdmission();
  await start();
  const wrong = testPolicy({ schedule: "* * *" }, { namespace });
  expect(await refusalOf(client.create(BackupPolicies, wrong))).toContain("spec.schedule: Invalid value");
  const key = { name: "daily", namespace };
  await client.create(BackupPolicies, testPolicy({}, key));
  const cluster = await client.create(
    MySQLClusters,
    testCluster({ backupPolicyName: "daily" }, { name: "c", namespace }),
  );
  const refusal = await refusalOf(client.delete(BackupPolicies, key));
  expect(refusal).toContain(`MySQLCluster ${namespace}/c has a reference to this policy`);
  await release(client, cluster);
  await client.delete(BackupPolicies, key);
});

async function refusalOf(request: Promise<unknown>): Promise<string> {
  return request.then(
    () => "it was not refused",
    (error: unknown) => (error as Error).message,
  );
}

/** Deletes a cluster that no controller looks after. */
async function release(client: Client, { metadata: { name, namespace } }: MySQLCluster): Promise<void> {
  await client.patch(MySQLClusters, { name, namespace }, { type: "merge", body: { metadata: { finalizers: null } } });
  await client.delete(MySQLClusters, { name, namespace });
}
