import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

/** A folder with a Containerfile, and beside it whatever the Containerfile copies. */
export interface ImageSource {
  /** The folder's name. */
  name: string;
  folder: string;
  reference: string;
}

/** The project's folder of images. */
export const imagesFolder = join(import.meta.dirname, "..", "..", "..", "images");

/** All images of a folder, by name. */
export async function imageSources(root: string = imagesFolder): Promise<ImageSource[]> {
  const entries = await readdir(root, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(names.sort().map((name) => imageSource(join(root, name), name)));
}

/**
 * The image `localhost/moco-ts/NAME:TAG`. TAG is the Containerfile's label org.opencontainers.image.version, or `dev`
 * for what has no version but the checkout's.
 */
async function imageSource(folder: string, name: string): Promise<ImageSource> {
  const containerfile = await readFile(join(folder, "Containerfile"), "utf8");
  const [, tag = "dev"] = /^LABEL org\.opencontainers\.image\.version="?([\w.-]+)/m.exec(containerfile) ?? [];
  return { name, folder, reference: `localhost/moco-ts/${name}:${tag}` };
}

/** Hash of the base image and of every file's path, mode and content. */
export async function sourceKey(folder: string, baseDigest: string): Promise<string> {
  const hash = createHash("sha256").update(baseDigest);
  const paths = await readdir(folder, { recursive: true });
  for (const path of paths.sort()) {
    const { mode } = await stat(join(folder, path));
    const content = (mode & 0o170000) === 0o100000 ? await readFile(join(folder, path)) : Buffer.alloc(0);
    // The length in front keeps a path's end apart from a content's start.
    hash.update(`\0${path}\0${mode}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}
