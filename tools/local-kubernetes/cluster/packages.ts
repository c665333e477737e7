import { findPluginDirectory } from "../node/files.ts";
import { findBusybox } from "../node/pause.ts";
import { findProgram } from "../system/environment.ts";
import { installPackages } from "../system/packages.ts";
import type { Report } from "../system/report.ts";

/** What a node needs of the machine: a program, and the Debian package that has it. */
export interface Requirement {
  program: string;
  package: string;
  why: string;
}

export const requirements: Requirement[] = [
  { program: "containerd", package: "containerd", why: "runs containers" },
  { program: "runc", package: "runc", why: "runs containers" },
  { program: "ptp", package: "containernetworking-plugins", why: "connects pods" },
  { program: "ip", package: "iproute2", why: "makes network namespaces" },
  { program: "nft", package: "nftables", why: "services and network faults" },
  { program: "iptables", package: "iptables", why: "host ports of pods" },
  { program: "conntrack", package: "conntrack", why: "kube-proxy cleans up with it" },
  { program: "mkfs.xfs", package: "xfsprogs", why: "volumes" },
  { program: "busybox", package: "busybox-static", why: "the image that holds pods" },
];

export async function missingRequirements(): Promise<Requirement[]> {
  const missing: Requirement[] = [];
  for (const requirement of requirements) {
    if (!(await isPresent(requirement.program))) {
      missing.push(requirement);
    }
  }
  return missing;
}

async function isPresent(program: string): Promise<boolean> {
  switch (program) {
    case "ptp":
      return findPluginDirectory() !== undefined;
    case "busybox":
      return (await findBusybox()) !== undefined;
    default:
      return (await findProgram(program)) !== undefined;
  }
}

/** Installs the packages that are missing. */
export async function ensurePackages(report: Report, signal?: AbortSignal): Promise<void> {
  const missing = await missingRequirements();
  if (missing.length === 0) {
    return;
  }
  await installPackages(
    missing.map((requirement) => requirement.package),
    report,
    signal,
  );
}
