import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { recipeFor, type BaseRecipe } from "./recipe.ts";

/** A folder with a Containerfile, and beside it whatever the Containerfile copies. */
export interface ImageSource {
  /** The folder's name. */
  name: string;
  folder: string;
  reference: string;
  base: BaseRecipe;
  /** What its Containerfile gets as VERSION, if it takes that. */
  version: string | undefined;
}

/** The project's folder of images. */
export const imagesFolder = join(import.meta.dirname, "..", "..", "..", "images");

/** All images of a folder, by name. `version` is that of our own programs. */
export async function imageSources(root: string = imagesFolder, version = "dev"): Promise<ImageSource[]> {
  const entries = await readdir(root, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(names.sort().map((name) => imageSource(join(root, name), name, version)));
}

/**
 * The image `localhost/moco-ts/NAME:TAG`. TAG is the given version where the Containerfile has `ARG VERSION`, else its
 * label org.opencontainers.image.version, or `dev` without one.
 */
async function imageSource(folder: string, name: string, given: string): Promise<ImageSource> {
  const containerfile = await readFile(join(folder, "Containerfile"), "utf8");
  const [, publicBase = ""] = /^ARG BASE=(\S+)/m.exec(containerfile) ?? [];
  const version = /^ARG VERSION\b/m.test(containerfile) ? given : undefined;
  const [, label = "dev"] = /^LABEL org\.opencontainers\.image\.version="?([\w.-]+)/m.exec(containerfile) ?? [];
  return {
    name,
    folder,
    reference: `localhost/moco-ts/${name}:${version ?? label}`,
    base: recipeFor(publicBase),
    version,
  };
}

/** Hash of the base image, of the version and of every file's path, mode and content. */
export async function sourceKey(folder: string, baseDigest: string, version = ""): Promise<string> {
  const hash = createHash("sha256").update(baseDigest).update(version);
  const paths = await readdir(folder, { recursive: true });
  for (const path of paths.sort()) {
    const { mode } = await stat(join(folder, path));
    const content = (mode & 0o170000) === 0o100000 ? await readFile(join(folder, path)) : Buffer.alloc(0);
    // The length in front keeps a path's end apart from a content's start.
    hash.update(`\0${path}\0${mode}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}
