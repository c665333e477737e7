/**
 * For tests: programs that run in the base image, with process ids and mounts of their own, as user 10000 and on a
 * read-only root, as they do in a Pod. The network is this machine's. Takes a few hundredths of a second.
 */
import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { unpackBase } from "@moco-ts/local-kubernetes";

export const user = 10000;

export interface ContainerOptions {
  readonly command: readonly string[];
  /** Directories and files of this machine by where they are in the container. All writable. */
  readonly volumes?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  /** Further names of 127.0.0.1. */
  readonly hostNames?: readonly string[];
}

export interface Ended {
  /** undefined if a signal ended it. */
  readonly code: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
  /** What it left in /dev/termination-log, where `kubectl describe pod` shows it. */
  readonly message: string;
}

export interface Container {
  /** Of the container's process 1, as this machine knows it. */
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** What it wrote to standard output and error so far. */
  output(): string;
  signal(signal: NodeJS.Signals): void;
}

/**
 * Mounts the root, then pairs of source and target up to `--`, and becomes the command. The signal at the parent's death
 * is set last: a change of user clears it.
 */
const entry = `
set -eu
root=$1 merged=$2 message=$3
shift 3
mount --bind "$root" "$merged"
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then mkdir -p "$root$2"; else [ -e "$root$2" ] || : >"$root$2"; fi
  mount --bind "$1" "$merged$2"
  shift 2
done
shift
mount -t proc proc "$merged/proc"
mount -t tmpfs tmpfs "$merged/dev"
for device in null zero random urandom; do
  : >"$merged/dev/$device"
  mount --bind "/dev/$device" "$merged/dev/$device"
done
ln -s /proc/self/fd "$merged/dev/fd"
: >"$merged/dev/termination-log"
mount --bind "$message" "$merged/dev/termination-log"
mount -o remount,bind,ro "$merged"
# Away with all other mounts: a copy of a volume's that lived on here would keep its disk in use.
mkdir "$merged/dev/host"
pivot_root "$merged" "$merged/dev/host"
cd /
umount --lazy /dev/host
rmdir /dev/host
exec setpriv --reuid ${user} --regid ${user} --clear-groups --pdeathsig KILL -- "$@"
`;

export async function startContainer(options: ContainerOptions): Promise<Container> {
  const { command, volumes = {}, environment = {}, hostNames = [] } = options;
  const root = await unpackBase();
  const directory = await mkdtemp(join(tmpdir(), "container-"));
  const [merged, hosts, log, message] = ["root", "hosts", "log", "message"].map((name) => join(directory, name)) as [
    string,
    string,
    string,
    string,
  ];
  await mkdir(merged);
  await writeFile(message, "");
  await chmod(message, 0o666);
  await writeFile(hosts, `127.0.0.1 ${["localhost", ...hostNames].join(" ")}\n`);
  const mounts = Object.entries({ ...volumes, "/etc/hosts": hosts }).flatMap(([target, source]) => [source, target]);
  const isolate = ["unshare", "--mount", "--pid", "--fork", "--kill-child=KILL"];
  const arguments_ = [...isolate, "sh", "-c", entry, "sh", root, merged, message, ...mounts, "--", ...command];
  const output = openSync(log, "w");
  const child = spawn("setpriv", ["--pdeathsig", "KILL", "--", ...arguments_], {
    stdio: ["ignore", output, output],
    env: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", HOME: "/tmp", ...environment },
  });
  closeSync(output);
  let written: string | undefined;
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      written = readFileSync(log, "utf8");
      resolve({ code: code ?? undefined, signal: signal ?? undefined, message: readFileSync(message, "utf8") });
    });
  });
  void removeAfter(ended, directory);
  const pid = await firstProcess(child.pid!, () => written !== undefined);
  return {
    pid,
    ended,
    output: () => written ?? readFileSync(log, "utf8"),
    signal(signal) {
      // Its pid may be somebody else's by now.
      if (written === undefined) process.kill(pid, signal);
    },
  };
}

async function removeAfter(ended: Promise<Ended>, directory: string): Promise<void> {
  await ended;
  await rm(directory, { recursive: true, force: true });
}

/** Runs a program in a container to its end. */
export async function runContainer(options: ContainerOptions): Promise<Ended & { output: string }> {
  const container = await startContainer(options);
  return { ...(await container.ended), output: container.output() };
}

/** Empty directories that the container's user may write, by name, below one that is new. */
export async function makeVolumes<N extends string>(...names: N[]): Promise<Record<N | "parent", string>> {
  const parent = await mkdtemp(join(tmpdir(), "volumes-"));
  const made = names.map((name) => [name, join(parent, name)] as const);
  for (const [, path] of made) {
    await mkdir(path);
    await chown(path, user, user);
  }
  return { ...Object.fromEntries(made), parent } as Record<N | "parent", string>;
}

/** The child of unshare(1), once it has become the command: until then it is still our shell. */
async function firstProcess(parent: number, hasEnded: () => boolean): Promise<number> {
  for (;;) {
    if (hasEnded()) return parent;
    try {
      const [first] = readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8").trim().split(" ");
      if (first && /^Uid:\s+10000\s/m.test(readFileSync(`/proc/${first}/status`, "utf8"))) return Number(first);
    } catch {
      // It has just ended, which is seen above.
    }
    await delay(2);
  }
}
