import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { bundle, type BundleOptions } from "./bundle.ts";

const root = join(import.meta.dirname, "..", "..");

interface Program extends BundleOptions {
  /** Also the name of the image and of its folder in images/. */
  readonly name: string;
  /** From the project's root. */
  readonly entry: string;
  /** Further files for the image, from the project's root: they keep their names. */
  readonly files?: readonly string[];
}

/** Our programs that are run in images. */
const programs: readonly Program[] = [
  { name: "moco-controller", entry: "packages/operator/main.ts", compact: true },
  { name: "pvc-autoresizer", entry: "packages/autoresizer/main.ts", compact: true },
  {
    name: "moco-agent",
    entry: "packages/agent/main.ts",
    compact: true,
    files: ["packages/agent/moco-init", "packages/agent/moco-mysqld", "packages/agent/moco-pre-stop"],
  },
];

/**
 * Copies images/ and puts beside each Containerfile the program that it copies. Returns the folder.
 *
 * @param name of the folder in build/, for those who run side by side
 */
export async function prepareImages(name = "images"): Promise<string> {
  const folder = join(root, "build", name);
  await rm(folder, { recursive: true, force: true });
  await cp(join(root, "images"), folder, { recursive: true });
  for (const { name, entry, files = [], ...options } of programs) {
    await bundle(join(root, entry), join(folder, name, "main.js"), options);
    for (const file of files) await cp(join(root, file), join(folder, name, file.slice(file.lastIndexOf("/") + 1)));
  }
  return folder;
}

/** Makes the plugin of kubectl as one file. Returns its path. */
export async function prepareCli(file = join(root, "build", "kubectl-moco")): Promise<string> {
  await bundle(join(root, "packages/kubectl-moco/main.ts"), file, { executable: true });
  return file;
}
