/** For API tests: a real API server that knows our custom resources, and a namespace that nobody else uses. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  connect,
  CustomResourceDefinitions,
  loadKubeconfig,
  Namespaces,
  type Client,
  type CustomResourceDefinition,
} from "@moco-ts/kube";
import { sharedControlPlane } from "@moco-ts/local-kubernetes";
import { expect, onTestFinished } from "vitest";
import { parse } from "yaml";

const directory = join(import.meta.dirname, "../../../charts/moco/generated/crds");

/** A client of the control plane that all tests of a run share, closed when the test ends. */
export async function testClient(): Promise<Client> {
  const { kubeconfigPath } = await sharedControlPlane();
  const client = connect(await loadKubeconfig({ environment: {}, path: kubeconfigPath }), { qps: Infinity });
  onTestFinished(() => client.close());
  return client;
}

/** A new namespace, which is deleted when the test ends. */
export async function testNamespace(client: Client): Promise<string> {
  const { metadata } = await client.create(Namespaces, { metadata: { generateName: "test-" } });
  const name = metadata!.name!;
  onTestFinished(async () => {
    await client.delete(Namespaces, { name });
  });
  return name;
}

/** The definitions as users install them. */
export async function readDefinitions(): Promise<CustomResourceDefinition[]> {
  const names = (await readdir(directory)).sort();
  return Promise.all(names.map(async (name) => parse(await readFile(join(directory, name), "utf8"))));
}

/** Installs the definitions, if this run has not done so yet, and waits until they are served. */
export async function installDefinitions(client: Client): Promise<void> {
  const { items } = await client.list(CustomResourceDefinitions);
  const present = new Set(items.map(({ metadata }) => metadata!.name));
  for (const definition of await readDefinitions()) {
    const name = definition.metadata!.name!;
    if (present.has(name)) continue;
    await client.apply(CustomResourceDefinitions, definition, { fieldManager: "test", force: true });
    const established = async (): Promise<string | undefined> => {
      const { status } = await client.get(CustomResourceDefinitions, { name });
      return status?.conditions?.find(({ type }) => type === "Established")?.status;
    };
    await expect.poll(established, { timeout: 60_000, interval: 100 }).toBe("True");
  }
}
