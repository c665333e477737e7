import { readFile, realpath } from "node:fs/promises";
import { run, tryRun } from "./run.ts";
import { waitFor } from "./wait.ts";

export interface Mount {
  /** Where it is. */
  target: string;
  /** What is mounted: for a disk, its device. */
  source: string;
}

/** All mounts of this machine, in the order in which they were made. */
export async function listMounts(): Promise<Mount[]> {
  return parseMounts(await readFile("/proc/self/mountinfo", "utf8"));
}

/** The mount that is seen at a path. */
export async function mountAt(target: string): Promise<Mount | undefined> {
  return (await listMounts()).findLast((mount) => mount.target === target);
}

/** @param text lines like `36 35 98:0 /root /target rw,noatime shared:1 - xfs /dev/loop0 rw`, see proc(5) */
export function parseMounts(text: string): Mount[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const fields = line.split(" ");
      // Optional fields, any number of them, end with a dash. File system type and source follow.
      const source = fields[fields.indexOf("-", 6) + 2]!;
      return { target: unescapePath(fields[4]!), source: unescapePath(source) };
    });
}

/** The kernel writes a space, a tab, a newline and a backslash as three octal digits. */
function unescapePath(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}

/** Everything mounted at or below a directory, in the order of mounting. */
export async function mountsBelow(directory: string): Promise<string[]> {
  const targets = (await listMounts()).map(({ target }) => target);
  return targets.filter((target) => target === directory || target.startsWith(`${directory}/`));
}

/** Unmounts everything at or below a directory. */
export async function unmountBelow(directory: string): Promise<void> {
  for (const path of (await mountsBelow(directory)).toReversed()) {
    if ((await tryRun("umount", [path])) === undefined) {
      // Somebody still has a file open there. The kernel unmounts it when that ends.
      await run("umount", ["--lazy", path]);
    }
  }
}

interface LoopDevice {
  device: string;
  file: string;
}

async function loopDevices(): Promise<LoopDevice[]> {
  const output = await run("losetup", ["--list", "--json", "--output", "NAME,BACK-FILE"]);
  if (output.trim() === "") {
    return [];
  }
  const { loopdevices } = JSON.parse(output) as { loopdevices: Array<{ name: string; "back-file": string }> };
  return loopdevices.map((each) => ({ device: each.name, file: each["back-file"].replace(/ \(deleted\)$/, "") }));
}

/** Detaches the loop devices whose file lies below a directory. */
export async function detachBelow(path: string): Promise<void> {
  const directory = await realpath(path);
  const attached = async () => (await loopDevices()).filter(({ file }) => file.startsWith(`${directory}/`));
  for (const { device } of await attached()) {
    await run("losetup", ["--detach", device]);
  }
  await waitFor(async () => (await attached()).length === 0, {
    what: `loop devices below ${directory} to be detached`,
  });
}
