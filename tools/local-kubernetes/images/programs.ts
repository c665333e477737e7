import { userInfo } from "node:os";
import type { Report } from "../system/report.ts";
import { run, tryRun } from "../system/run.ts";

/** Installs the Debian packages of programs that are missing. Each package has the name of its program. */
export async function ensurePrograms(programs: string[], report: Report, signal?: AbortSignal): Promise<void> {
  const missing: string[] = [];
  for (const program of programs) {
    if ((await tryRun("sh", ["-c", 'command -v "$0"', program], { signal })) === undefined) {
      missing.push(program);
    }
  }
  if (userInfo().uid !== 0) {
    throw new Error("building images needs root");
  }
  if (missing.length === 0) {
    return;
  }
  report(`installing ${missing.join(", ")}`);
  const install = ["install", "--yes", "--no-install-recommends", ...missing];
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  if ((await tryRun("apt-get", install, { env, signal })) === undefined) {
    // Package lists may be old or not there at all.
    await run("apt-get", ["update"], { env, signal });
    await run("apt-get", install, { env, signal });
  }
}
