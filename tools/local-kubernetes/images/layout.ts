import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Names a blob of an OCI image. */
export interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
  annotations?: Record<string, string>;
}

export interface Manifest {
  schemaVersion: 2;
  mediaType: string;
  config: Descriptor;
  layers: Descriptor[];
  annotations?: Record<string, string>;
}

export interface ImageConfig {
  architecture: string;
  os: string;
  config?: { Env?: string[]; Cmd?: string[] };
  rootfs: { type: "layers"; diff_ids: string[] };
}

/** An image in the layout, with what it was made from. */
export interface StoredImage {
  reference: string;
  /** Hash of everything that the image was made from. */
  source: string;
  descriptor: Descriptor;
  manifest: Manifest;
}

export const mediaTypes = {
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar",
  zstdLayer: "application/vnd.oci.image.layer.v1.tar+zstd",
};
const referenceAnnotation = "org.opencontainers.image.ref.name";
const sourceAnnotation = "moco-ts/source";

/** A directory of images that share their layers, in the format of OCI: https://github.com/opencontainers/image-spec */
export class ImageLayout {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  blob(digest: string): string {
    return join(this.directory, blobPath(digest));
  }

  async create(): Promise<void> {
    await mkdir(join(this.directory, "blobs", "sha256"), { recursive: true });
    await this.replace("oci-layout", JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  }

  /** Descriptors of all images, as index.json has them. */
  async index(): Promise<Descriptor[]> {
    try {
      return (await this.json<{ manifests: Descriptor[] }>("index.json")).manifests;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") {
        return [];
      }
      throw error;
    }
  }

  /** The image, if it is here with all of its blobs' names. */
  async find(reference: string): Promise<StoredImage | undefined> {
    const descriptor = (await this.index()).find((entry) => entry.annotations?.[referenceAnnotation] === reference);
    if (descriptor === undefined) {
      return undefined;
    }
    const source = descriptor.annotations?.[sourceAnnotation] ?? "";
    return { reference, source, descriptor, manifest: await this.json(blobPath(descriptor.digest)) };
  }

  async config(image: StoredImage): Promise<ImageConfig> {
    return this.json(blobPath(image.manifest.config.digest));
  }

  /** Stores a manifest whose blobs are here already, under a reference, in place of what had it before. */
  async add(reference: string, source: string, manifest: Manifest): Promise<StoredImage> {
    const annotations = { [referenceAnnotation]: reference, [sourceAnnotation]: source };
    const descriptor = { ...(await this.addJson(mediaTypes.manifest, manifest)), annotations };
    const others = (await this.index()).filter((entry) => entry.annotations?.[referenceAnnotation] !== reference);
    await this.replace("index.json", indexOf([...others, descriptor]));
    return { reference, source, descriptor, manifest };
  }

  async addJson(mediaType: string, value: object): Promise<Descriptor> {
    const text = JSON.stringify(value);
    const digest = `sha256:${createHash("sha256").update(text).digest("hex")}`;
    await this.replace(blobPath(digest), text);
    return { mediaType, digest, size: Buffer.byteLength(text) };
  }

  /** Removes the blobs that no image refers to, and what builds that were killed have left. */
  async prune(): Promise<void> {
    for (const name of await readdir(this.directory)) {
      if (!["blobs", "index.json", "oci-layout"].includes(name)) {
        await rm(join(this.directory, name), { recursive: true });
      }
    }
    const used = new Set<string>();
    for (const descriptor of await this.index()) {
      const { config, layers } = await this.json<Manifest>(blobPath(descriptor.digest));
      for (const { digest } of [descriptor, config, ...layers]) {
        used.add(blobPath(digest));
      }
    }
    for (const name of await readdir(join(this.directory, "blobs", "sha256"))) {
      if (!used.has(join("blobs", "sha256", name))) {
        await rm(join(this.directory, "blobs", "sha256", name));
      }
    }
  }

  private async json<T>(path: string): Promise<T> {
    return JSON.parse(await readFile(join(this.directory, path), "utf8")) as T;
  }

  /** Readers see the old file or the new one, never half of it. */
  private async replace(path: string, text: string): Promise<void> {
    const temporary = join(this.directory, `${path}.${randomUUID()}`);
    await writeFile(temporary, text);
    await rename(temporary, join(this.directory, path));
  }
}

export function indexOf(manifests: Descriptor[]): string {
  return JSON.stringify({ schemaVersion: 2, manifests });
}

/** Where a layout has a blob, relative to its directory. */
export function blobPath(digest: string): string {
  return join("blobs", ...digest.split(":"));
}
