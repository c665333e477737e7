import { readdir } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { PersistentVolume } from "@moco-ts/kube";
import { Disk } from "./disk.ts";

/** The disks of all nodes of a cluster: a folder per node, and in it one per volume. */
export class Disks {
  private readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  disk(node: string, volume: string): Disk {
    return new Disk(join(this.directory, node, volume));
  }

  diskOf(volume: PersistentVolume): Disk {
    const directory = dirname(volume.spec?.local?.path ?? "");
    // What gets removed with a disk must be a disk's folder, whatever an object says.
    if (!/^[^/.][^/]*\/[^/.][^/]*$/.test(relative(this.directory, directory))) {
      throw new Error(`${volume.metadata?.name} is not one of the disks in ${this.directory}`);
    }
    return new Disk(directory);
  }

  /** All disks that are there, complete or not, by the names of their volumes. */
  async all(): Promise<Array<{ volume: string; disk: Disk }>> {
    const nodes = await readdir(this.directory);
    const found = nodes.map(async (node) => {
      const volumes = await readdir(join(this.directory, node));
      return volumes.map((volume) => ({ volume, disk: this.disk(node, volume) }));
    });
    return (await Promise.all(found)).flat();
  }
}
