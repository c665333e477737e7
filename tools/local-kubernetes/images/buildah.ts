import { mkdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { CommandError, run } from "../system/run.ts";

/** buildah with a storage of its own, so that it neither sees nor changes the images of this machine's user. */
export class Buildah {
  private readonly directory: string;
  private readonly signal: AbortSignal | undefined;

  constructor(directory: string, signal?: AbortSignal) {
    this.directory = directory;
    this.signal = signal;
  }

  /** Makes an image of an OCI layout known under its reference, unless it is. */
  async import(layoutDirectory: string, reference: string, configDigest: string): Promise<void> {
    const known = await this.attempt(["inspect", "--type", "image", "--format", "{{.FromImageID}}", reference]);
    if (known?.trim() === configDigest.replace("sha256:", "")) {
      return;
    }
    // buildah names what it pulls after the path, where not all characters are allowed: a short relative one is safe.
    const location = `oci:${basename(layoutDirectory)}:${reference}`;
    const id = (await this.run(["pull", "--quiet", location], dirname(layoutDirectory))).trim();
    await this.run(["tag", id, reference]);
    // What the reference named before, and what was built on it.
    await this.attempt(["rmi", "--prune", "--force"]);
  }

  /** Builds the Containerfile of a folder, with the folder as its context. Equal inputs give equal images. */
  async build(folder: string, given: { base: string; version: string | undefined }, reference: string): Promise<void> {
    const file = join(folder, "Containerfile");
    const { base, version } = given;
    const args = ["--format", "oci", "--timestamp", "0", "--build-arg", `BASE=${base}`, "--pull=never"];
    const versionArgs = version === undefined ? [] : ["--build-arg", `VERSION=${version}`];
    await this.run(["build", ...args, ...versionArgs, "--tag", reference, "--file", file, folder]);
  }

  async export(reference: string, layoutDirectory: string): Promise<void> {
    await this.run(["push", "--quiet", reference, `oci:${layoutDirectory}:${reference}`]);
    await this.attempt(["rmi", "--prune", "--force"]);
  }

  private async run(args: string[], cwd?: string): Promise<string> {
    await mkdir(this.directory, { recursive: true });
    const storage = ["--root", join(this.directory, "storage"), "--runroot", join(this.directory, "run")];
    return run("buildah", [...storage, "--storage-driver", "overlay", ...args], {
      cwd,
      // Needs no container runtime, and works inside of containers too.
      env: { BUILDAH_ISOLATION: "chroot" },
      signal: this.signal,
    });
  }

  private async attempt(args: string[]): Promise<string | undefined> {
    try {
      return await this.run(args);
    } catch (error) {
      if (error instanceof CommandError) {
        return undefined;
      }
      throw error;
    }
  }
}
