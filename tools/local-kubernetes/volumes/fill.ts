import { mkdir, open, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { run, tryRun } from "../system/run.ts";

/** How much to put on a volume. */
export type Filling =
  /** So many bytes more. */
  | { bytes: bigint }
  /** Until so much of the capacity is used. 100: until nothing more can be written. */
  | { percent: number }
  /** Until so much of the inodes is used. */
  | { inodePercent: number };

const fileName = ".local-kubernetes-fill";
const folderName = ".local-kubernetes-fill-inodes";

/** XFS makes inodes of free space, up to this share of the disk. */
const defaultInodeShare = 25;

/** Fills the XFS file system that is mounted at a path. Repeated calls add up. */
export async function fill(mountPoint: string, filling: Filling, signal?: AbortSignal): Promise<void> {
  if ("inodePercent" in filling) {
    await fillInodes(mountPoint, filling.inodePercent, signal);
    return;
  }
  const { total, used, free } = await usage(mountPoint);
  if ("bytes" in filling) {
    await allocate(mountPoint, filling.bytes, signal);
  } else if (filling.percent < 100) {
    const wanted = (total * BigInt(Math.round(filling.percent * 100))) / 10_000n - used;
    await allocate(mountPoint, wanted, signal);
  } else {
    await allocateAll(mountPoint, free, signal);
  }
}

/** Takes away again what {@link fill} put there. */
export async function unfill(mountPoint: string, signal?: AbortSignal): Promise<void> {
  await rm(join(mountPoint, fileName), { force: true });
  await rm(join(mountPoint, folderName), { recursive: true, force: true });
  await setInodeShare(mountPoint, defaultInodeShare, signal);
}

async function usage(mountPoint: string) {
  const { bsize, blocks, bfree, files, ffree } = await statfs(mountPoint, { bigint: true });
  return {
    total: bsize * blocks,
    used: bsize * (blocks - bfree),
    free: bsize * bfree,
    inodes: files,
    freeInodes: ffree,
  };
}

/** Reserves space in a file without writing it: fast, whatever the size. */
async function allocate(mountPoint: string, bytes: bigint, signal?: AbortSignal): Promise<void> {
  if (bytes <= 0n) {
    return;
  }
  const file = join(mountPoint, fileName);
  await (await open(file, "a")).close();
  const { size } = await stat(file, { bigint: true });
  await run("fallocate", ["--offset", String(size), "--length", String(bytes), file], { signal });
}

/** The file system keeps some blocks for itself, and does not say how many. */
async function allocateAll(mountPoint: string, free: bigint, signal?: AbortSignal): Promise<void> {
  for (let bytes = free; bytes >= 4096n; bytes /= 2n) {
    try {
      await allocate(mountPoint, bytes, signal);
    } catch (error) {
      if (!(error instanceof Error && error.message.includes("No space left"))) {
        throw error;
      }
    }
  }
}

async function fillInodes(mountPoint: string, percent: number, signal?: AbortSignal): Promise<void> {
  // With the smallest share there are thousands of inodes to use up and not hundreds of thousands.
  await setInodeShare(mountPoint, 1, signal);
  const { inodes, freeInodes } = await usage(mountPoint);
  const wanted = (inodes * BigInt(Math.round(percent * 100))) / 10_000n - (inodes - freeInodes);
  const folder = join(mountPoint, folderName, String(inodes - freeInodes));
  await mkdir(folder, { recursive: true });
  // touch fails with the last ones where there are none left, which is what 100 percent is for.
  await tryRun("sh", ["-c", 'cd "$0" && seq "$1" | xargs touch', folder, String(wanted)], { signal });
}

async function setInodeShare(mountPoint: string, percent: number, signal?: AbortSignal): Promise<void> {
  await run("xfs_growfs", ["-m", String(percent), mountPoint], { signal });
}
