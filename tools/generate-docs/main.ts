/**
 * Writes docs/api: every field of our custom resources, from the schemas that the CustomResourceDefinitions are made of.
 * With --check nothing is written: pages that are not up to date are named, exit status 1.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { backupPolicyDefinition, mysqlClusterDefinition } from "@moco-ts/api/crd";
import { format, resolveConfig } from "prettier";
import { describeKind, namesOnly } from "./reference.ts";

const root = join(import.meta.dirname, "../..");

if (process.argv.includes("--help")) {
  console.log("Writes docs/api, the pages with every field of our custom resources. --check only compares.");
  process.exit();
}

const isCheck = process.argv.includes("--check");
const definitions = [mysqlClusterDefinition(namesOnly), backupPolicyDefinition(namesOnly)];
await mkdir(join(root, "docs/api"), { recursive: true });
let stale = 0;
for (const definition of definitions) {
  const page = `docs/api/${definition.spec.names.singular}.md`;
  const path = join(root, page);
  const text = await format(describeKind(definition), { ...(await resolveConfig(path)), parser: "markdown" });
  // There is none before the first time.
  const present = await readFile(path, "utf8").catch(() => undefined);
  if (present === text) continue;
  stale++;
  if (isCheck) console.error(`not up to date: ${page}\nrun: make generate`);
  else await writeFile(path, text);
}
if (isCheck && stale > 0) process.exitCode = 1;
console.log(`API reference: ${definitions.length} pages, ${stale} of them changed`);
