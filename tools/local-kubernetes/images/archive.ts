import { createReadStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, type Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { run } from "../system/run.ts";
import { imageStore } from "./build.ts";
import { blobPath, ImageLayout, indexOf, type StoredImage } from "./layout.ts";

/** A Debian package in an image. */
export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
  readonly source: string;
}

/** Writes an image of the store as one file, an OCI archive, that `skopeo`, `podman load` and `ctr images import` take. */
export async function archiveImage(image: StoredImage, file: string, signal?: AbortSignal): Promise<void> {
  const layout = new ImageLayout(join(imageStore(), "layout"));
  const { descriptor, manifest } = image;
  const blobs = [descriptor, manifest.config, ...manifest.layers].map(({ digest }) => blobPath(digest));
  const temporary = await mkdtemp(join(tmpdir(), "moco-ts-archive-"));
  try {
    const { annotations: _, ...plain } = descriptor;
    const name = { annotations: { "org.opencontainers.image.ref.name": image.reference } };
    await writeFile(join(temporary, "index.json"), indexOf([{ ...plain, ...name }]));
    // The same image gives the same file.
    const equal = ["--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "--mode=u=rw,go=r", "--format=ustar"];
    const members = ["-C", temporary, "index.json", "-C", layout.directory, "oci-layout", ...blobs.sort()];
    await run("tar", ["--create", "--file", file, ...equal, ...members], { signal });
  } finally {
    await rm(temporary, { recursive: true });
  }
}

/** Bytes that an image takes on a node, where its layers are unpacked. */
export async function unpackedSize(image: StoredImage, signal?: AbortSignal): Promise<number> {
  const layout = new ImageLayout(join(imageStore(), "layout"));
  let size = 0;
  for (const { digest, mediaType } of image.manifest.layers) {
    await pipeline(
      createReadStream(layout.blob(digest)),
      unpacker(mediaType),
      async (chunks: AsyncIterable<Buffer>) => {
        for await (const { length } of chunks) size += length;
      },
      { signal },
    );
  }
  return size;
}

function unpacker(mediaType: string): Transform {
  if (mediaType.endsWith("+zstd")) return createZstdDecompress();
  return mediaType.endsWith("+gzip") ? createGunzip() : new PassThrough();
}

/** The Debian packages that an image's base was made of, as dpkg wrote them down. */
export async function debianPackages(image: StoredImage, signal?: AbortSignal): Promise<DebianPackage[]> {
  const layout = new ImageLayout(join(imageStore(), "layout"));
  const base = layout.blob(image.manifest.layers[0]!.digest);
  const status = ["--extract", "--zstd", "--to-stdout", "--file", base, "./var/lib/dpkg/status"];
  return parsePackages(await run("tar", status, { signal }));
}

/** @param text paragraphs of `Field: value` lines */
export function parsePackages(text: string): DebianPackage[] {
  return text.split(/\n\n+/).flatMap((paragraph) => {
    const field = (key: string): string => new RegExp(`^${key}: (.*)$`, "m").exec(paragraph)?.[1] ?? "";
    const name = field("Package");
    if (name === "" || !field("Status").endsWith(" installed")) return [];
    const [source = ""] = field("Source").split(" ");
    return [{ name, version: field("Version"), architecture: field("Architecture"), source: source || name }];
  });
}
