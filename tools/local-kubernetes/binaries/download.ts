import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { chmod, mkdtemp, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { run } from "../system/run.ts";
import type { Program } from "./catalog.ts";

/** Long enough for a slow line, short enough not to be noticed where there is no internet. */
const probeTimeout = 3_000;
const downloadTimeout = 600_000;

type Downloadable = Pick<Program, "name" | "downloadUrl" | "checksumUrl">;

/**
 * Downloads a program into `directory` and checks it against the published SHA-256.
 * Returns false if the server can't be reached. A wrong checksum is an error: nothing is kept.
 */
export async function download(program: Downloadable, directory: string, signal?: AbortSignal): Promise<boolean> {
  const file = basename(new URL(program.downloadUrl).pathname);
  const expected = await publishedChecksum(program.checksumUrl, file);
  if (expected === undefined) {
    return false;
  }
  const temporary = await mkdtemp(join(directory, ".download-"));
  try {
    const path = join(temporary, file);
    const actual = await save(program.downloadUrl, path, signal);
    if (actual !== expected) {
      throw new Error(`${program.downloadUrl} has SHA-256 ${actual}, but ${expected} is published: not used`);
    }
    const executable = /\.(tar\.gz|tgz)$/.test(file) ? await unpack(path, temporary, program.name) : path;
    await chmod(executable, 0o755);
    await rename(executable, join(directory, program.name));
    return true;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function publishedChecksum(url: string, file: string): Promise<string | undefined> {
  let text: string;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(probeTimeout) });
    if (!response.ok) {
      return undefined;
    }
    text = await response.text();
  } catch {
    // No internet, or none that is fast enough: the caller has another way.
    return undefined;
  }
  const lines = text
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/));
  const sum = lines.length === 1 ? lines[0]?.[0] : lines.find(([, name]) => name === file)?.[0];
  return sum !== undefined && /^[0-9a-f]{64}$/.test(sum) ? sum : undefined;
}

async function save(url: string, path: string, signal?: AbortSignal): Promise<string> {
  const deadline = AbortSignal.timeout(downloadTimeout);
  const response = await fetch(url, { signal: signal ? AbortSignal.any([signal, deadline]) : deadline });
  if (!response.ok || response.body === null) {
    throw new Error(`${url}: ${response.status} ${response.statusText}`);
  }
  const hash = createHash("sha256");
  await pipeline(
    Readable.fromWeb(response.body),
    async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(path),
  );
  return hash.digest("hex");
}

async function unpack(archive: string, directory: string, program: string): Promise<string> {
  const members = (await run("tar", ["-tzf", archive])).trim().split("\n");
  const member = members.find((name) => basename(name) === program && !name.endsWith("/"));
  if (member === undefined) {
    throw new Error(`${archive} has no ${program}`);
  }
  await run("tar", ["-xzf", archive, "-C", directory, member]);
  return join(directory, member);
}
