import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundle } from "@moco-ts/bundle";
import { buildImages, loadImages, type ImageTarget } from "@moco-ts/local-kubernetes";
import { image } from "./deployment.ts";
import { program } from "./names.ts";

/** Bundles the program into one file, puts that into an image, and the image into the nodes. */
export async function provideImage(nodes: ImageTarget[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), `${program}-`));
  try {
    await mkdir(join(folder, program));
    await copyFile(join(import.meta.dirname, "Containerfile"), join(folder, program, "Containerfile"));
    await bundle(join(import.meta.dirname, "main.ts"), join(folder, program, "main.js"));
    await buildImages({ folder, names: [program] });
    await loadImages(nodes, [image]);
  } finally {
    await rm(folder, { recursive: true });
  }
}
