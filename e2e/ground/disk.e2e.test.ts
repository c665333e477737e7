import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, statfs, writeFile } from "node:fs/promises";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Disk } from "@moco-ts/local-kubernetes";

const mebibyte = 1024n * 1024n;
let root: string;
let disk: Disk;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "disk-"));
  disk = new Disk(join(root, "node", "volume"));
});

afterEach(async () => {
  await disk.remove();
  await rm(root, { recursive: true });
});

function loopDevices(): string {
  return execFileSync("losetup", ["--list", "--noheadings", "--output", "BACK-FILE"], { encoding: "utf8" });
}

async function capacity(path: string): Promise<bigint> {
  const { bsize, blocks } = await statfs(path, { bigint: true });
  return bsize * blocks;
}

async function makeDisk(): Promise<void> {
  await disk.create(300n * mebibyte);
  await disk.mount();
}

test("every step can be repeated and keeps what is there", async () => {
  await makeDisk();
  await writeFile(join(disk.mountPoint, "file"), "kept");
  await makeDisk();
  await disk.grow(500n * mebibyte);
  await disk.grow(500n * mebibyte);
  expect(await disk.size()).toBe(500n * mebibyte);
  expect(await capacity(disk.mountPoint)).toBeGreaterThan(400n * mebibyte);
  expect(await readFile(join(disk.mountPoint, "file"), "utf8")).toBe("kept");
  expect(loopDevices().split(root)).toHaveLength(2);
  await disk.remove();
  await disk.remove();
  expect(existsSync(disk.directory)).toBe(false);
  expect(loopDevices()).not.toContain(root);
});

test("a disk whose formatting was interrupted is made anew", async () => {
  await mkdir(disk.directory, { recursive: true });
  await writeFile(join(disk.directory, "disk.incomplete"), "half of a file system");
  expect(await disk.size()).toBeUndefined();
  await makeDisk();
  expect(await capacity(disk.mountPoint)).toBeGreaterThan(200n * mebibyte);
});

test("a growth that was interrupted before the file system grew is finished", async () => {
  await makeDisk();
  execFileSync("truncate", ["--size=500M", join(disk.directory, "disk")]);
  expect(await capacity(disk.mountPoint)).toBeLessThan(300n * mebibyte);
  await disk.grow(500n * mebibyte);
  expect(await capacity(disk.mountPoint)).toBeGreaterThan(400n * mebibyte);
});

test("who still uses a removed disk keeps it to the end", async () => {
  await makeDisk();
  const elsewhere = join(root, "pod");
  await mkdir(elsewhere);
  execFileSync("mount", ["--bind", disk.mountPoint, elsewhere]);
  try {
    await disk.remove();
    await writeFile(join(elsewhere, "file"), "still there");
    expect(await readFile(join(elsewhere, "file"), "utf8")).toBe("still there");
    expect(loopDevices()).toContain(root);
  } finally {
    execFileSync("umount", [elsewhere]);
  }
  expect(loopDevices()).not.toContain(root);
});

test("a broken disk gives errors to who uses it, and can be replaced by an empty one", async () => {
  await makeDisk();
  const elsewhere = join(root, "pod");
  await mkdir(elsewhere);
  execFileSync("mount", ["--bind", disk.mountPoint, elsewhere]);
  try {
    await writeFile(join(elsewhere, "file"), "lost");
    await disk.break();
    await expect(writeFile(join(elsewhere, "file"), "x")).rejects.toThrow(/EIO/);
    expect(await disk.size()).toBeUndefined();
    await expect(disk.grow(400n * mebibyte)).rejects.toThrow("there is no disk");
    await makeDisk();
    expect(existsSync(join(disk.mountPoint, "file"))).toBe(false);
  } finally {
    execFileSync("umount", [elsewhere]);
  }
});
