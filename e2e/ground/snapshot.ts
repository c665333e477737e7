import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** Everything on a machine that a cluster could leave behind, one line each. */
export async function machineSnapshot(): Promise<Set<string>> {
  const parts = await Promise.all([
    processes(),
    lines("mount", readFile("/proc/self/mountinfo", "utf8"), (line) => line.split(" ").slice(3, 5).join(" ")),
    lines("loop device", output("losetup", ["--list", "--noheadings", "--output", "NAME,BACK-FILE"])),
    lines("network namespace", output("ip", ["netns", "list"]), (line) => line.split(" ")[0] ?? ""),
    lines("interface", output("ip", ["-brief", "link"]), (line) => line.split(/[ @]/)[0] ?? ""),
    lines("route", output("ip", ["route", "show", "table", "all"])),
    lines("packet filter", output("nft", ["list", "tables"])),
    lines("control group", output("find", ["/sys/fs/cgroup", "-type", "d"])),
    entries("/var/lib/moco-ts"),
    entries("/var/lib/moco-ts/clusters"),
    entries("/run/containerd/s"),
    entries("/var/lib/cni/results"),
    entries("/var/log/containers"),
    entries("/var/log/pods"),
    entries("/var/lib/kubelet"),
  ]);
  return new Set(parts.flat());
}

// A process that has ended, but whose parent has not been told yet, has no command line.
async function processes(): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (commandLine !== "") {
      found.push(`process ${pid} ${commandLine.replaceAll("\0", " ")}`);
    }
  }
  return found;
}

async function output(command: string, args: string[]): Promise<string> {
  return (await execute(command, args, { maxBuffer: 2 ** 26 })).stdout;
}

async function lines(kind: string, text: Promise<string>, pick = (line: string) => line): Promise<string[]> {
  return (await text)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => `${kind} ${pick(line)}`);
}

async function entries(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch(() => []);
  return names.map((name) => `file ${directory}/${name}`);
}
