import { spawn } from "node:child_process";
import { createHash, randomUUID, type Hash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createZstdCompress } from "node:zlib";
import { childEnvironment } from "../system/environment.ts";
import type { Report } from "../system/report.ts";
import { CommandError } from "../system/run.ts";
import { mediaTypes, type ImageConfig, type ImageLayout, type StoredImage } from "./layout.ts";
import { debianMirror } from "./mirror.ts";
import { recipeKey, type BaseRecipe } from "./recipe.ts";

/** Makes a base image from Debian packages, unless the layout has it. Takes about 40 s. */
export async function buildBase(
  layout: ImageLayout,
  recipe: BaseRecipe,
  report: Report,
  signal?: AbortSignal,
): Promise<StoredImage> {
  const source = recipeKey(recipe);
  const cached = await layout.find(recipe.reference);
  if (cached?.source === source) {
    return cached;
  }
  report(`${recipe.reference}: installing Debian packages, once`);
  const layer = await installPackages(layout, recipe, signal);
  const config: ImageConfig = {
    architecture: process.arch === "x64" ? "amd64" : process.arch,
    os: "linux",
    config: { Env: ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"], Cmd: ["/bin/sh"] },
    rootfs: { type: "layers", diff_ids: [layer.diffId] },
  };
  return layout.add(recipe.reference, source, {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: await layout.addJson(mediaTypes.config, config),
    layers: [{ mediaType: mediaTypes.zstdLayer, digest: layer.digest, size: layer.size }],
  });
}

/** Streams the tar archive that mmdebstrap writes into a compressed blob. Nodes unpack zstd twice as fast as plain tar. */
async function installPackages(layout: ImageLayout, recipe: BaseRecipe, signal?: AbortSignal) {
  const mirror = await debianMirror(signal);
  const args = [
    `--variant=${recipe.variant ?? "minbase"}`,
    "--format=tar",
    // A mirror may serve a dated copy. Its signature is still checked.
    '--aptopt=Acquire::Check-Valid-Until "false"',
    ...recipe.exclude.map((path) => `--dpkgopt=path-exclude=${path}`),
    `--include=${recipe.packages.join(",")}`,
    // $1 is the new root. Patterns are for the shell to expand there.
    ...(recipe.remove ?? []).map((path) => `--customize-hook=rm -rf "$1"${path}`),
    recipe.suite,
    "-",
    ...(mirror === undefined ? [] : [mirror]),
  ];
  const child = spawn("mmdebstrap", args, { env: childEnvironment(), signal, stdio: ["ignore", "pipe", "pipe"] });
  let messages = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (messages = (messages + text).slice(-2000)));
  const ended = new Promise<void>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve() : reject(new CommandError("mmdebstrap", code ?? 1, messages))));
  });
  const plain = createHash("sha256");
  const compressed = createHash("sha256");
  const temporary = join(layout.directory, `layer.${randomUUID()}`);
  const file = createWriteStream(temporary);
  try {
    const written = pipeline(child.stdout, through(plain), createZstdCompress(), through(compressed), file, { signal });
    await Promise.all([written, ended]);
    const digest = `sha256:${compressed.digest("hex")}`;
    await rename(temporary, layout.blob(digest));
    return { diffId: `sha256:${plain.digest("hex")}`, digest, size: file.bytesWritten };
  } finally {
    await rm(temporary, { force: true });
  }
}

function through(hash: Hash) {
  return async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
}
