import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { KubeObject, Resource } from "@moco-ts/kube";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { BackupPolicies } from "../backuppolicy/types.ts";
import { apiVersion } from "../group.ts";
import { MySQLClusters } from "../mysqlcluster/types.ts";
import { installDefinitions, testClient, testNamespace } from "../testing/cluster.ts";
import { kubectl } from "../testing/kubectl.ts";

const directory = join(import.meta.dirname, "../../../samples");
const resources: readonly Resource[] = [MySQLClusters, BackupPolicies];
const samples = readdirSync(directory).filter((name) => name.endsWith(".yaml"));

function ourObjects(text: string): KubeObject[] {
  const objects = parseAllDocuments(text).map((document) => document.toJS() as KubeObject);
  return objects.filter((object) => object.apiVersion === apiVersion);
}

test("there are samples", () => {
  expect(samples.length).toBeGreaterThanOrEqual(7);
});

test.each(samples)("%s goes in and reads back as written", async (sample) => {
  const client = await testClient();
  await installDefinitions(client);
  const namespace = await testNamespace(client);
  const text = readFileSync(join(directory, sample), "utf8");

  const applied = await kubectl(["apply", "-n", namespace, "-f", "-"], text);
  expect(applied).toMatchObject({ status: 0, problems: "" });
  for (const written of ourObjects(text)) {
    const resource = resources.find(({ kind }) => kind === written.kind)!;
    const stored = await client.get(resource, { namespace, name: written.metadata!.name! });
    expect(stored).toMatchObject(written);
    // The same again, by a manager that says what it wants and not what it changes: no difference, no new version.
    const manifest = { ...written, metadata: { ...written.metadata, namespace } };
    const again = await client.apply(resource, manifest, { fieldManager: "test", force: true });
    expect(again.metadata!.generation).toBe(stored.metadata!.generation);
  }
  expect(await kubectl(["diff", "-n", namespace, "-f", "-"], text)).toMatchObject({ status: 0, output: "" });
});
