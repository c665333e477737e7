/**
 * Writes packages/kube/types/generated from the OpenAPI and discovery documents of a real API server of the version
 * that the tests run on. With --check nothing is written: files that are not up to date are named, exit status 1.
 */
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { connect, loadKubeconfig } from "@moco-ts/kube";
import { startControlPlane } from "@moco-ts/local-kubernetes";
import { emitTypes } from "./emit.ts";
import { selection } from "./selection.ts";
import { readSpecification } from "./specification.ts";

if (process.argv.includes("--help")) {
  console.log(
    "Writes packages/kube/types/generated from what a real API server says of its types. --check only compares.",
  );
  process.exit();
}

const directory = join(import.meta.dirname, "../../packages/kube/types/generated");

async function generate(): Promise<ReadonlyMap<string, string>> {
  const controlPlane = await startControlPlane({ name: "generate-types" });
  try {
    const config = await loadKubeconfig({ environment: process.env, path: controlPlane.kubeconfigPath });
    const client = connect(config);
    const specification = await readSpecification(selection, async (path) => {
      const { status, body } = await client.raw(path, { headers: { accept: "application/json" } });
      if (status !== 200) throw new Error(`the API server answered ${status} for ${path}`);
      return JSON.parse(body);
    });
    await client.close();
    return emitTypes(specification);
  } finally {
    await controlPlane.stop();
  }
}

async function present(): Promise<Map<string, string>> {
  await mkdir(directory, { recursive: true });
  const names = await readdir(directory);
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(directory, name), "utf8")] as const)),
  );
}

const [wanted, old] = [await generate(), await present()];
const stale = [...new Set([...wanted.keys(), ...old.keys()])].filter((name) => wanted.get(name) !== old.get(name));

if (process.argv.includes("--check")) {
  for (const name of stale) console.error(`not up to date: packages/kube/types/generated/${name}`);
  if (stale.length > 0) console.error("run: make generate");
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const name of stale) {
    const text = wanted.get(name);
    if (text === undefined) await rm(join(directory, name));
    else await writeFile(join(directory, name), text);
  }
}
console.log(`Kubernetes types: ${wanted.size} files, ${stale.length} of them changed`);
