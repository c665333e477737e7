/**
 * Writes pages and pictures that follow from the code: docs/api, every field of our custom resources, and pictures of
 * `kubectl moco status`. With --check nothing is written: files that are not up to date are named, exit status 1.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { backupPolicyDefinition, mysqlClusterDefinition } from "@moco-ts/api/crd";
import { scenes } from "@moco-ts/view/testing";
import { format, resolveConfig } from "prettier";
import { renderView } from "../../packages/kubectl-moco/status/render/render.ts";
import { coloured } from "../../packages/kubectl-moco/status/render/style.ts";
import { describeKind, namesOnly } from "./reference.ts";
import { terminalPicture } from "./terminal.ts";

const root = join(import.meta.dirname, "../..");

if (process.argv.includes("--help")) {
  console.log(
    "Writes docs/api and pictures of kubectl moco status, which follow from the code. --check only compares.",
  );
  process.exit();
}

const wanted = new Map<string, string>();
const options = await resolveConfig(join(root, "docs/api/mysqlcluster.md"));
for (const definition of [mysqlClusterDefinition(namesOnly), backupPolicyDefinition(namesOnly)]) {
  const text = await format(describeKind(definition), { ...options, parser: "markdown" });
  wanted.set(`docs/api/${definition.spec.names.singular}.md`, text);
}
for (const name of ["healthy", "degraded", "rolloutStopped"] as const) {
  const picture = terminalPicture("kubectl moco status test", renderView(scenes[name](), coloured));
  wanted.set(`docs/images/status-${name}.svg`, picture);
}

const isCheck = process.argv.includes("--check");
let stale = 0;
for (const [path, text] of wanted) {
  // There is none before the first time.
  const present = await readFile(join(root, path), "utf8").catch(() => undefined);
  if (present === text) continue;
  stale++;
  if (isCheck) console.error(`not up to date: ${path}\nrun: make generate`);
  else {
    await mkdir(join(root, dirname(path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}
if (isCheck && stale > 0) process.exitCode = 1;
console.log(`pages and pictures: ${wanted.size} files, ${stale} of them changed`);
