import { existsSync } from "node:fs";
import { readFile, statfs } from "node:fs/promises";
import { platform, totalmem, userInfo } from "node:os";
import { dirname } from "node:path";
import { missingBinaries } from "../binaries/resolve.ts";
import { cgroupsAvailable } from "../system/cgroups.ts";
import { findProgram } from "../system/environment.ts";
import { stateDirectory } from "../system/state.ts";
import { tryRun } from "../system/run.ts";
import { requirements, missingRequirements } from "./packages.ts";

export interface Finding {
  ok: boolean;
  /** What was looked at. */
  what: string;
  /** What a person can do about it. */
  remedy: string;
}

const gibibyte = 2 ** 30;

/** Looks at everything that `up` relies on. It changes nothing. */
export async function diagnose(): Promise<Finding[]> {
  const linux: Finding = {
    ok: platform() === "linux",
    what: "Linux",
    remedy: "use a Linux machine, or set KUBECONFIG to use an existing cluster",
  };
  if (!linux.ok) {
    return [linux];
  }
  return [
    linux,
    {
      ok: userInfo().uid === 0,
      what: "root",
      remedy: "run as root, use `up --control-plane-only`, or set KUBECONFIG to use an existing cluster",
    },
    ...(await findPackages()),
    await findBinaries(),
    {
      ok: cgroupsAvailable(),
      what: "control groups",
      remedy: "mount them at /sys/fs/cgroup (version 2, or version 1 with the freezer)",
    },
    await findFileSystem("overlay", "containerd keeps images with it"),
    await findFileSystem("xfs", "volumes are made with it"),
    {
      ok: (await tryRun("losetup", ["--find"])) !== undefined,
      what: "loop devices",
      remedy: "load the kernel module loop: volumes need it",
    },
    await findNetworkNamespaces(),
    {
      ok: totalmem() >= 4 * gibibyte,
      what: "4 GiB of memory",
      remedy: "a node takes about 1 GiB, and each MySQL 0.5 GiB",
    },
    await findDiskSpace(),
  ];
}

async function findPackages(): Promise<Finding[]> {
  const missing = new Set(await missingRequirements());
  return requirements.map((requirement) => ({
    ok: !missing.has(requirement),
    what: `${requirement.program} (${requirement.why})`,
    remedy: `\`up\` installs it, or run: apt-get install ${requirement.package}`,
  }));
}

async function findBinaries(): Promise<Finding> {
  const missing = await missingBinaries();
  const names = missing.join(", ");
  const go = (await findProgram("go")) !== undefined;
  return {
    ok: missing.length === 0 || go,
    what: missing.length === 0 ? "binaries of Kubernetes" : `Go, to build ${names} if they can't be downloaded`,
    remedy: "install Go from https://go.dev/dl, or set KUBEBUILDER_ASSETS",
  };
}

async function findFileSystem(name: string, why: string): Promise<Finding> {
  const known = (await readFile("/proc/filesystems", "utf8")).split("\n").some((line) => line.endsWith(`\t${name}`));
  return {
    ok: known || (await tryRun("modprobe", ["--dry-run", name])) !== undefined,
    what: `the file system ${name}`,
    remedy: `use a kernel that has it: ${why}`,
  };
}

// Namespaces, veth pairs, bridges and the packet filter at once, in a namespace that goes with the program.
async function findNetworkNamespaces(): Promise<Finding> {
  const attempt = [
    "ip link add bridge0 type bridge",
    "ip link add veth0 type veth peer name veth1",
    "nft add table inet attempt",
  ].join(" && ");
  return {
    ok: (await tryRun("unshare", ["--net", "sh", "-c", attempt])) !== undefined,
    what: "network namespaces, veth, bridge and nftables",
    remedy: "use a kernel that has them, and run as root with CAP_NET_ADMIN and CAP_SYS_ADMIN",
  };
}

async function findDiskSpace(): Promise<Finding> {
  let directory = stateDirectory();
  while (!existsSync(directory)) {
    directory = dirname(directory);
  }
  const { bavail, bsize } = await statfs(directory);
  return {
    ok: bavail * bsize >= 10 * gibibyte,
    what: `10 GiB of disk below ${directory}`,
    remedy: "make room, or set MOCO_TS_STATE to a folder on a larger disk",
  };
}
