import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { reportToStderr, secondsSince, type Report } from "../system/report.ts";
import { run } from "../system/run.ts";
import { imageStore } from "./build.ts";
import { blobPath, ImageLayout, indexOf, type StoredImage } from "./layout.ts";

/** Where images are loaded into. */
export interface ImageTarget {
  name: string;
  /** Path of containerd's socket. */
  containerdSocket: string;
}

export interface LoadOptions {
  /** Default: `images` in the cache directory. */
  store?: string;
  /** Default: standard error. */
  report?: Report;
  signal?: AbortSignal;
}

/** Puts images of the store into the containerd of each node. Nothing is sent that a node has. */
export async function loadImages(nodes: ImageTarget[], references: string[], options: LoadOptions = {}): Promise<void> {
  const { store = imageStore(), report = reportToStderr, signal } = options;
  const layout = new ImageLayout(join(store, "layout"));
  const images: StoredImage[] = [];
  for (const reference of references) {
    const image = await layout.find(reference);
    if (image === undefined) {
      throw new Error(`${reference} was not built yet: run make images`);
    }
    images.push(image);
  }
  await Promise.all(nodes.map((node) => loadInto(node, layout, images, report, signal)));
}

async function loadInto(
  node: ImageTarget,
  layout: ImageLayout,
  images: StoredImage[],
  report: Report,
  signal: AbortSignal | undefined,
): Promise<void> {
  const start = performance.now();
  const ctr = ["--address", node.containerdSocket, "--namespace", "k8s.io"];
  const present = (await run("ctr", [...ctr, "images", "ls"], { signal })).split("\n").map((line) => line.split(/\s+/));
  const missing = images.filter(
    ({ reference, descriptor }) =>
      !present.some(([name, , digest]) => name === reference && digest === descriptor.digest),
  );
  if (missing.length === 0) {
    return;
  }
  const held = new Set((await run("ctr", [...ctr, "content", "ls", "--quiet"], { signal })).split("\n"));
  const digests = missing.flatMap(({ descriptor, manifest: { config, layers } }) =>
    [descriptor, config, ...layers].map(({ digest }) => digest),
  );
  const blobs = [...new Set(digests)].filter((digest) => !held.has(digest)).map(blobPath);
  const temporary = await mkdtemp(join(tmpdir(), "moco-ts-load-"));
  try {
    await writeFile(join(temporary, "index.json"), indexOf(missing.map(({ descriptor }) => descriptor)));
    const importing = 'tar -c -C "$1" index.json -C "$2" oci-layout "${@:4}" | ctr -a "$3" -n k8s.io images import -';
    const args = [temporary, layout.directory, node.containerdSocket, ...blobs];
    await run("bash", ["-o", "pipefail", "-c", importing, "load", ...args], { signal });
  } finally {
    await rm(temporary, { recursive: true });
  }
  report(`${node.name}: loaded ${missing.map(({ reference }) => reference).join(", ")} (${secondsSince(start)})`);
}
