/**
 * The pause image: one layer with a static busybox. It is a Debian package, so there is nothing to build, and a pod can
 * use the same image wherever a test needs a shell, a web server or a client.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { arch } from "node:os";
import { dirname, join } from "node:path";
import { cacheDirectory } from "../system/cache.ts";
import { findProgram } from "../system/environment.ts";
import { run } from "../system/run.ts";
import { pauseImage } from "./containerd.ts";

// It ends at once when it is told to, and collects the processes whose parents have died.
const program = "trap 'exit 0' INT TERM; while :; do sleep 2147483647 & wait; done";

/** The image as a docker-archive, which is made if it is not in the cache. */
export async function ensurePauseImage(): Promise<string> {
  const archive = join(cacheDirectory(), "images", "pause.tar");
  if (!existsSync(archive)) {
    await mkdir(dirname(archive), { recursive: true });
    await writePauseImage(archive);
  }
  return archive;
}

async function writePauseImage(archive: string): Promise<void> {
  const busybox = await findBusybox();
  if (busybox === undefined) {
    throw new Error("there is no static busybox: install the package busybox-static");
  }
  const directory = await mkdtemp(`${archive}.`);
  try {
    const root = join(directory, "root");
    for (const folder of ["bin", "tmp", "etc"]) {
      await mkdir(join(root, folder), { recursive: true });
    }
    await copyFile(busybox, join(root, "bin", "busybox"));
    for (const applet of (await run(busybox, ["--list"])).trim().split("\n")) {
      if (applet !== "busybox") {
        await symlink("busybox", join(root, "bin", applet));
      }
    }
    // The same busybox gives the same bytes.
    const reproducible = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"];
    await run("tar", [...reproducible, "-C", root, "-cf", join(directory, "layer.tar"), "."]);
    const layer = createHash("sha256")
      .update(await readFile(join(directory, "layer.tar")))
      .digest("hex");
    const configuration = {
      architecture: arch() === "x64" ? "amd64" : arch(),
      os: "linux",
      config: { Entrypoint: ["/bin/sh", "-c", program], Env: ["PATH=/bin"] },
      rootfs: { type: "layers", diff_ids: [`sha256:${layer}`] },
    };
    await writeFile(join(directory, "config.json"), JSON.stringify(configuration));
    const manifest = [{ Config: "config.json", RepoTags: [pauseImage, busyboxImage], Layers: ["layer.tar"] }];
    await writeFile(join(directory, "manifest.json"), JSON.stringify(manifest));
    const members = ["manifest.json", "config.json", "layer.tar"];
    await run("tar", [...reproducible, "-C", directory, "-cf", join(directory, "image.tar"), ...members]);
    await rename(join(directory, "image.tar"), archive);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The same image under the name that a person would give it. */
export const busyboxImage = "localhost/busybox:local";

/** A busybox that needs no library, or undefined. */
export async function findBusybox(): Promise<string | undefined> {
  const path = await findProgram("busybox");
  if (path === undefined) {
    return undefined;
  }
  const dynamicLoader = "/ld-";
  return (await readFile(path)).subarray(0, 4096).includes(dynamicLoader) ? undefined : path;
}
