import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { run, tryRun } from "../system/run.ts";
import { mountAt } from "../system/mounts.ts";

/** mkfs.xfs refuses anything smaller. */
export const smallestDisk = 300n * 1024n * 1024n;

/**
 * A disk that is a sparse file, with an XFS file system on a loop device. Everything can be repeated: what is done is
 * left alone, what was interrupted is finished.
 */
export class Disk {
  /** A folder of its own, with the file and the mount point. */
  readonly directory: string;
  readonly mountPoint: string;
  private readonly file: string;

  constructor(directory: string) {
    this.directory = directory;
    this.mountPoint = join(directory, "mount");
    this.file = join(directory, "disk");
  }

  /** Bytes, or undefined if there is no disk: not yet, or no longer. */
  async size(): Promise<bigint | undefined> {
    try {
      return (await stat(this.file, { bigint: true })).size;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") {
        return undefined;
      }
      throw error;
    }
  }

  async mounted(): Promise<boolean> {
    return (await mountAt(this.mountPoint)) !== undefined;
  }

  /** Makes an empty disk, unless there is one. */
  async create(bytes: bigint, signal?: AbortSignal): Promise<void> {
    if ((await this.size()) !== undefined) {
      return;
    }
    // The name says that it is complete: a disk whose formatting was interrupted never gets it.
    const incomplete = `${this.file}.incomplete`;
    await mkdir(this.directory, { recursive: true });
    await rm(incomplete, { force: true });
    await resize(incomplete, bytes);
    await run("mkfs.xfs", ["-q", incomplete], { signal });
    await rename(incomplete, this.file);
  }

  async mount(signal?: AbortSignal): Promise<void> {
    if (await this.mounted()) {
      return;
    }
    await mkdir(this.mountPoint, { recursive: true });
    // mount(8) makes the loop device, and the kernel frees it with the last mount of it: there is nothing else to undo.
    await run("mount", ["--types", "xfs", "--options", "loop", this.file, this.mountPoint], { signal });
  }

  /** Makes disk and file system larger, while they are in use. */
  async grow(bytes: bigint, signal?: AbortSignal): Promise<void> {
    const size = await this.size();
    const mount = await mountAt(this.mountPoint);
    if (size === undefined || mount === undefined) {
      throw new Error(`there is no disk in ${this.directory}`);
    }
    if (size < bytes) {
      await resize(this.file, bytes);
    }
    await run("losetup", ["--set-capacity", mount.source], { signal });
    await run("xfs_growfs", ["-d", this.mountPoint], { signal });
  }

  /** Removes the disk and everything on it. Pods that still use it keep it until they end. */
  async remove(signal?: AbortSignal): Promise<void> {
    while (await this.mounted()) {
      await run("umount", [this.mountPoint], { signal });
    }
    await rm(this.directory, { recursive: true, force: true });
  }

  /** The disk breaks: whoever uses it gets I/O errors from now on, and what was on it is gone for good. */
  async break(signal?: AbortSignal): Promise<void> {
    // Fails if it is broken already.
    await tryRun("xfs_io", ["-x", "-c", "shutdown", this.mountPoint], { signal });
    await this.remove(signal);
  }
}

/** Sparse: what was never written takes no space. */
async function resize(file: string, bytes: bigint): Promise<void> {
  const handle = await open(file, "a");
  try {
    await handle.truncate(Number(bytes));
  } finally {
    await handle.close();
  }
}
