import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { catalog, platformName } from "./catalog.ts";
import { missingBinaries, resolveBinaries } from "./resolve.ts";

let directory: string;
let environment: NodeJS.ProcessEnv;
const { release, version } = catalog().get("kube-apiserver")!;
const minor = version.split(".").slice(0, 2).join(".");

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "resolve-test-"));
  environment = {
    MOCO_TS_CACHE: join(directory, "cache"),
    KUBEBUILDER_ASSETS: join(directory, "assets"),
    PATH: join(directory, "path"),
  };
});

afterEach(() => rm(directory, { recursive: true }));

async function program(folder: string, itsVersion: string): Promise<string> {
  const path = join(directory, folder, "kube-apiserver");
  await mkdir(join(directory, folder), { recursive: true });
  await writeFile(path, `#!/bin/sh\necho Kubernetes ${itsVersion}\n`);
  await chmod(path, 0o755);
  return path;
}

async function resolve(): Promise<unknown> {
  return (await resolveBinaries(["kube-apiserver"], { environment })).get("kube-apiserver");
}

test("the cache comes before KUBEBUILDER_ASSETS, and that before PATH", async () => {
  const onPath = await program("path", version);
  expect(await resolve()).toMatchObject({ path: onPath, origin: "PATH" });
  const asset = await program("assets", `${minor}.99`);
  expect(await resolve()).toMatchObject({ path: asset, origin: "KUBEBUILDER_ASSETS" });
  const cached = await program(join("cache", "bin", platformName, release), version);
  expect(await resolve()).toMatchObject({ path: cached, origin: "cache" });
});

test("a program of another minor version is not used", async () => {
  await program("assets", "v1.2.3");
  expect(await missingBinaries(environment)).toContain("kube-apiserver");
});

test("an unknown program is an error", async () => {
  await expect(resolveBinaries(["kube-nothing"], { environment })).rejects.toThrow(/kube-nothing/);
});
