import type { Report } from "./report.ts";
import { run, tryRun } from "./run.ts";

/** Installs Debian packages. */
export async function installPackages(packages: string[], report: Report, signal?: AbortSignal): Promise<void> {
  if ((await tryRun("apt-get", ["--version"], { signal })) === undefined) {
    throw new Error(`install these first, as there is no apt-get: ${packages.join(", ")}`);
  }
  report(`installing ${packages.join(", ")} with apt-get`);
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  // Somebody else may be installing something.
  const patience = ["--option", "DPkg::Lock::Timeout=300"];
  const install = [...patience, "install", "--yes", "--no-install-recommends", ...packages];
  if ((await tryRun("apt-get", install, { env, signal })) === undefined) {
    // The lists of packages may never have been fetched, or be too old.
    await run("apt-get", [...patience, "update"], { env, signal });
    await run("apt-get", install, { env, signal });
  }
}
