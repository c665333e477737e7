import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cacheDirectory } from "../system/cache.ts";
import { withLock } from "../system/lock.ts";
import { reportToStderr, secondsSince, type Report } from "../system/report.ts";
import { buildBase } from "./base.ts";
import { Buildah } from "./buildah.ts";
import { ImageLayout, type Descriptor, type StoredImage } from "./layout.ts";
import { ensurePrograms } from "./programs.ts";
import { baseRecipe, type BaseRecipe } from "./recipe.ts";
import { imageSources, imagesFolder, sourceKey, type ImageSource } from "./sources.ts";

export interface BuildOptions {
  /** Names of folders, and `base`. Default: all. */
  names?: string[];
  /** Default: the project's images/. */
  folder?: string;
  /** Where images are kept. Default: `images` in the cache directory. */
  store?: string;
  /** Of our own programs' images: their tag and label. Default: dev. */
  version?: string;
  /** Default: standard error. */
  report?: Report;
  signal?: AbortSignal;
}

export function imageStore(): string {
  return join(cacheDirectory(), "images");
}

/** Builds the images that are not in the store in their present form, and the base images that they need. */
export async function buildImages(options: BuildOptions = {}): Promise<StoredImage[]> {
  const { folder = imagesFolder, store = imageStore(), report = reportToStderr, signal } = options;
  const sources = await imageSources(folder, options.version);
  const names = options.names?.length ? options.names : ["base", ...sources.map(({ name }) => name)];
  const unknown = names.filter((name) => name !== "base" && !sources.some((source) => source.name === name));
  if (unknown.length > 0) {
    const known = ["base", ...sources.map(({ name }) => name)].join(", ");
    throw new Error(`no such image: ${unknown.join(", ")}. There are ${known}`);
  }
  await ensurePrograms(report, signal);
  const build = async () => {
    const layout = new ImageLayout(join(store, "layout"));
    const buildah = new Buildah(join(store, "buildah"), signal);
    await layout.create();
    const bases = new Map<BaseRecipe, StoredImage>();
    const baseOf = async (recipe: BaseRecipe) => {
      const base =
        bases.get(recipe) ?? (await timed(report, recipe.reference, () => buildBase(layout, recipe, report, signal)));
      bases.set(recipe, base);
      return base;
    };
    const images: StoredImage[] = names.includes("base") ? [await baseOf(baseRecipe)] : [];
    for (const source of sources.filter(({ name }) => names.includes(name))) {
      const base = await baseOf(source.base);
      images.push(await timed(report, source.reference, () => buildImage(layout, buildah, base, source)));
    }
    await layout.prune();
    return images;
  };
  return withLock(join(store, "lock"), build, () => report("another process is building images: waiting for it"));
}

async function buildImage(
  layout: ImageLayout,
  buildah: Buildah,
  base: StoredImage,
  { folder, reference, version }: ImageSource,
): Promise<StoredImage> {
  const source = await sourceKey(folder, base.descriptor.digest, version);
  const cached = await layout.find(reference);
  if (cached?.source === source) {
    return cached;
  }
  await buildah.import(layout.directory, base.reference, base.manifest.config.digest);
  await buildah.build(folder, { base: base.reference, version }, reference);
  return collect(layout, buildah, base, reference, source);
}

/**
 * Gets a built image out of buildah's storage without its base layer, which would take seconds to write and to compress
 * and which the layout has: buildah leaves out a layer that the target seems to hold, here an empty file with its name.
 */
async function collect(
  layout: ImageLayout,
  buildah: Buildah,
  base: StoredImage,
  reference: string,
  source: string,
): Promise<StoredImage> {
  const scratch = new ImageLayout(await mkdtemp(join(layout.directory, "export-")));
  try {
    await scratch.create();
    const baseLayers = new Map<string, Descriptor>();
    for (const [index, diffId] of (await layout.config(base)).rootfs.diff_ids.entries()) {
      baseLayers.set(diffId, base.manifest.layers[index]!);
      await writeFile(scratch.blob(diffId), "");
    }
    await buildah.export(reference, scratch.directory);
    const image = await scratch.find(reference);
    if (image === undefined) {
      throw new Error(`buildah did not write ${reference}`);
    }
    const { manifest } = image;
    const own = [manifest.config, ...manifest.layers].filter(({ digest }) => !baseLayers.has(digest));
    for (const { digest } of own) {
      await rename(scratch.blob(digest), layout.blob(digest));
    }
    const layers = manifest.layers.map((layer) => baseLayers.get(layer.digest) ?? layer);
    return await layout.add(reference, source, { ...manifest, layers });
  } finally {
    await rm(scratch.directory, { recursive: true, force: true });
  }
}

/** Tells which image was built, or found, and how long that took. */
async function timed(report: Report, reference: string, build: () => Promise<StoredImage>): Promise<StoredImage> {
  const start = performance.now();
  const image = await build();
  report(`${reference}: ${image.descriptor.digest.slice(0, 19)} (${secondsSince(start)})`);
  return image;
}
