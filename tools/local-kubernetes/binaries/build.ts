import { mkdtemp, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { run, tryRun } from "../system/run.ts";
import type { Program } from "./catalog.ts";

/** Builds programs of one Go module from the module proxy into `directory`. */
export async function build(programs: Program[], directory: string, signal?: AbortSignal): Promise<void> {
  const goModule = programs[0]?.goModule;
  if (goModule === undefined) {
    return;
  }
  if ((await tryRun("go", ["version"])) === undefined) {
    throw new Error(
      `${programs.map((program) => program.name).join(", ")} can't be downloaded here, and there is no Go to build them: ` +
        "install Go (https://go.dev/dl), or set KUBEBUILDER_ASSETS to a folder that has them",
    );
  }
  // A program that is only half written must never be taken for a good one: it gets its name when all is built.
  const temporary = await mkdtemp(join(directory, ".build-"));
  try {
    const cwd = (await goModule.prepare?.(goModule.directory, temporary, signal)) ?? goModule.directory;
    await run(
      "go",
      [
        "build",
        "-trimpath",
        "-ldflags",
        `-s -w ${goModule.linkerFlags}`,
        "-o",
        `${temporary}/out/`,
        ...programs.map((program) => program.goPackage),
      ],
      { cwd, env: { CGO_ENABLED: "0" }, signal },
    );
    for (const program of programs) {
      await rename(join(temporary, "out", outputName(program.goPackage)), join(directory, program.name));
    }
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

// Go names a program after the last element of its import path, but for a major version.
function outputName(goPackage: string): string {
  const last = basename(goPackage);
  return /^v\d+$/.test(last) ? basename(dirname(goPackage)) : last;
}
