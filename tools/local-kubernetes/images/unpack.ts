import { mkdir, mkdtemp, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { cacheDirectory } from "../system/cache.ts";
import { reportToStderr, type Report } from "../system/report.ts";
import { run } from "../system/run.ts";
import { buildImages, imageStore } from "./build.ts";
import { ImageLayout } from "./layout.ts";
import { baseRecipe } from "./recipe.ts";

/**
 * The base image's files in a directory of the cache, for programs that run in it without a container runtime. Unpacked
 * once, in 3 s; built before that, if need be. Whoever uses it must not write into it.
 */
export async function unpackBase(report: Report = reportToStderr, signal?: AbortSignal): Promise<string> {
  const layout = new ImageLayout(join(imageStore(), "layout"));
  const built = await layout.find(baseRecipe.reference);
  const image = built ?? (await buildImages({ names: ["base"], report, ...(signal && { signal }) }))[0]!;
  const parent = join(cacheDirectory(), "roots");
  const directory = join(parent, image.descriptor.digest.replace("sha256:", "").slice(0, 16));
  if (await exists(directory)) return directory;
  report(`${baseRecipe.reference}: unpacking, once`);
  await mkdir(parent, { recursive: true });
  const temporary = await mkdtemp(join(parent, "unpacking-"));
  try {
    for (const { digest } of image.manifest.layers) {
      await run("tar", ["--extract", "--zstd", "--file", layout.blob(digest), "--directory", temporary], { signal });
    }
    await rename(temporary, directory);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    // Another process was faster.
    if (!(await exists(directory))) throw error;
  }
  return directory;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
