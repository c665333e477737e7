import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { run } from "../system/run.ts";
import { download } from "./download.ts";

let server: Server;
let base: string;
let directory: string;
const files = new Map<string, Buffer>();

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "download-test-"));
  files.clear();
  server = createServer((request, response) => {
    const content = files.get(request.url ?? "");
    response.statusCode = content === undefined ? 404 : 200;
    response.end(content);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  base = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
});

afterEach(async () => {
  server.close();
  await rm(directory, { recursive: true });
});

const sha256 = (content: Buffer) => createHash("sha256").update(content).digest("hex");

test("a program is saved and can be run if its checksum is right", async () => {
  const content = Buffer.from("#!/bin/sh\necho it works\n");
  files.set("/tool", content).set("/tool.sha256", Buffer.from(sha256(content)));
  const program = { name: "tool", downloadUrl: `${base}/tool`, checksumUrl: `${base}/tool.sha256` };
  expect(await download(program, directory)).toBe(true);
  expect(await run(join(directory, "tool"), [])).toBe("it works\n");
});

test("a program with another checksum than the published one is an error, and nothing is kept", async () => {
  files.set("/tool", Buffer.from("forged")).set("/tool.sha256", Buffer.from(sha256(Buffer.from("genuine"))));
  const program = { name: "tool", downloadUrl: `${base}/tool`, checksumUrl: `${base}/tool.sha256` };
  await expect(download(program, directory)).rejects.toThrow(/not used/);
  expect(await readdir(directory)).toEqual([]);
});

test("a program is unpacked from an archive whose checksum is one of a list", async () => {
  await writeFile(join(directory, "tool"), "in an archive");
  await run("tar", ["-czf", join(directory, "tool-v1.tar.gz"), "-C", directory, "tool"]);
  const archive = await readFile(join(directory, "tool-v1.tar.gz"));
  await Promise.all((await readdir(directory)).map((name) => rm(join(directory, name))));
  const list = `${sha256(Buffer.from(""))}  other.tar.gz\n${sha256(archive)}  tool-v1.tar.gz\n`;
  files.set("/tool-v1.tar.gz", archive).set("/SHA256SUMS", Buffer.from(list));

  const program = { name: "tool", downloadUrl: `${base}/tool-v1.tar.gz`, checksumUrl: `${base}/SHA256SUMS` };
  expect(await download(program, directory)).toBe(true);
  expect(await readdir(directory)).toEqual(["tool"]);
  expect((await stat(join(directory, "tool"))).mode & 0o111).not.toBe(0);
});

test("without a server there is no download, and no error", async () => {
  const program = { name: "tool", downloadUrl: "http://127.0.0.1:9/tool", checksumUrl: "http://127.0.0.1:9/sum" };
  expect(await download(program, directory)).toBe(false);
});
