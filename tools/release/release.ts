/** release: all that a version consists of, in one folder. */
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { prepareCli, prepareImages } from "@moco-ts/bundle";
import { charts, helm } from "@moco-ts/helm";
import { archiveImage, buildImages, debianPackages, unpackedSize } from "@moco-ts/local-kubernetes";
import { checkVersion, notesOf } from "./changelog.ts";
import { writeChecksums } from "./checksums.ts";
import { npmPackagesOf, type LockFile } from "./npm-packages.ts";
import { billOfMaterials } from "./sbom.ts";

export interface ReleaseOptions {
  readonly version: string;
  /** Made anew. */
  readonly folder: string;
  /** What is not released yet in the changelog will do. */
  readonly draft: boolean;
  readonly report: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Images of our programs, with the workspace of each. */
const programs = {
  "moco-controller": "packages/operator",
  "moco-agent": "packages/agent",
  "pvc-autoresizer": "packages/autoresizer",
} as const;

/** Bytes that an image may take on a node: whoever needs more has to say why, here. */
const largestImage = 200_000_000;

const root = join(import.meta.dirname, "../..");

export async function makeRelease(options: ReleaseOptions): Promise<void> {
  const { version, folder, draft, report } = options;
  const read = (path: string) => readFile(join(root, path), "utf8");
  // All that can be wrong is found before anything takes time.
  if (!draft) checkVersion(version, JSON.parse(await read("package.json")).version);
  const notes = notesOf(await read("CHANGELOG.md"), version, draft);
  const lock: LockFile = JSON.parse(await read("package-lock.json"));

  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "NOTES.md"), notes);
  await cp(join(root, "LICENSE"), join(folder, "LICENSE"));
  report("kubectl-moco");
  await prepareCli(join(folder, "kubectl-moco"));
  const plugin = billOfMaterials("application", "kubectl-moco", version, {
    npm: npmPackagesOf(lock, "packages/kubectl-moco"),
  });
  await writeJson(join(folder, "kubectl-moco.cdx.json"), plugin);
  await addCharts(options);
  await addImages(options, lock);
  await writeChecksums(folder);
}

async function addCharts({ version, folder, report }: ReleaseOptions): Promise<void> {
  for (const [name, path] of Object.entries(charts)) {
    if (!existsSync(join(path, "Chart.yaml"))) continue;
    report(`chart ${name}`);
    await helm(["package", path, "--version", version, "--app-version", version, "--destination", folder]);
  }
}

async function addImages({ version, folder, report, signal }: ReleaseOptions, lock: LockFile): Promise<void> {
  const sources = await prepareImages("images-release");
  try {
    const images = await buildImages({ folder: sources, names: Object.keys(programs), version, report, signal });
    for (const image of images) {
      const name = /([^/]+):/.exec(image.reference)![1] as keyof typeof programs;
      const size = await unpackedSize(image, signal);
      report(`image ${name}: ${Math.ceil(size / 1_000_000)} MB`);
      if (size > largestImage) throw new Error(`the image ${name} has become too large`);
      await archiveImage(image, join(folder, `${name}-${version}.oci.tar`), signal);
      const contents = { npm: npmPackagesOf(lock, programs[name]), debian: await debianPackages(image, signal) };
      await writeJson(join(folder, `${name}.cdx.json`), billOfMaterials("container", name, version, contents));
    }
  } finally {
    await rm(sources, { recursive: true });
  }
}

async function writeJson(file: string, value: object): Promise<void> {
  await writeFile(file, `${JSON.stringify(value, undefined, 2)}\n`);
}
