import { findProgram, whyNoNode } from "../system/environment.ts";
import { installPackages } from "../system/packages.ts";
import type { Report } from "../system/report.ts";

/** Sees to it that images can be built: as root, and with programs whose Debian packages have the same names. */
export async function ensurePrograms(report: Report, signal?: AbortSignal): Promise<void> {
  if (whyNoNode() !== undefined) {
    throw new Error("building images needs Linux and root: run this with sudo");
  }
  const missing: string[] = [];
  for (const program of ["buildah", "mmdebstrap"]) {
    if ((await findProgram(program)) === undefined) {
      missing.push(program);
    }
  }
  if (missing.length > 0) {
    await installPackages(missing, report, signal);
  }
}
