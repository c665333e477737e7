import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { imageSources, sourceKey } from "./sources.ts";

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "sources-"));
  await mkdir(join(root, "program"));
  await writeFile(join(root, "program", "Containerfile"), "ARG BASE\nFROM ${BASE}\n");
  await writeFile(join(root, "README.md"), "not an image");
});

afterEach(() => rm(root, { recursive: true }));

test("every folder is an image, tagged by its version label", async () => {
  await mkdir(join(root, "database"));
  const text = 'ARG BASE\nFROM ${BASE}\nLABEL org.opencontainers.image.version="9.7"\n';
  await writeFile(join(root, "database", "Containerfile"), text);
  const references = (await imageSources(root)).map(({ reference }) => reference);
  expect(references).toEqual(["localhost/moco-ts/database:9.7", "localhost/moco-ts/program:dev"]);
});

test("images of our own programs are tagged by the version that is given", async () => {
  const text = "ARG BASE=node:24-slim\nFROM ${BASE}\nARG VERSION=dev\n";
  await writeFile(join(root, "program", "Containerfile"), text);
  expect(await imageSources(root, "1.2.3")).toMatchObject([
    {
      reference: "localhost/moco-ts/program:1.2.3",
      version: "1.2.3",
      base: { reference: "localhost/moco-ts/node:24" },
    },
  ]);
  expect(await imageSources(root)).toMatchObject([{ reference: "localhost/moco-ts/program:dev", version: "dev" }]);
});

test("the project's own images can be read", async () => {
  expect((await imageSources()).map(({ name }) => name)).toEqual(expect.arrayContaining(["mysql", "mysql-loose"]));
});

test("a build's key changes with the base, with the version, and with any file's content, name and mode", async () => {
  const folder = join(root, "program");
  const keys = [await sourceKey(folder, "sha256:1"), await sourceKey(folder, "sha256:2")];
  await writeFile(join(folder, "main.js"), "1");
  keys.push(await sourceKey(folder, "sha256:1"));
  await writeFile(join(folder, "main.js"), "2");
  keys.push(await sourceKey(folder, "sha256:1"));
  keys.push(await sourceKey(folder, "sha256:1", "1.0.0"));
  await chmod(join(folder, "main.js"), 0o755);
  keys.push(await sourceKey(folder, "sha256:1"));
  await rename(join(folder, "main.js"), join(folder, "other.js"));
  keys.push(await sourceKey(folder, "sha256:1"));
  expect(new Set(keys).size).toBe(keys.length);
  expect(await sourceKey(folder, "sha256:1")).toBe(keys.at(-1));
});
