import { readFile } from "node:fs/promises";
import { run } from "./run.ts";

/** Everything mounted at or below a directory, in the order of mounting. */
export async function mountsBelow(directory: string): Promise<string[]> {
  const table = await readFile("/proc/self/mountinfo", "utf8");
  return table
    .split("\n")
    .map((line) => line.split(" ")[4] ?? "")
    .map((path) => path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8))))
    .filter((path) => path === directory || path.startsWith(`${directory}/`));
}

/** Unmounts everything at or below a directory. */
export async function unmountBelow(directory: string): Promise<void> {
  for (const path of (await mountsBelow(directory)).toReversed()) {
    // Lazily: who still has a file open there is about to end.
    await run("umount", ["--lazy", path]);
  }
}

export interface LoopDevice {
  device: string;
  file: string;
}

export async function loopDevices(): Promise<LoopDevice[]> {
  const output = await run("losetup", ["--list", "--json", "--output", "NAME,BACK-FILE"]);
  if (output.trim() === "") {
    return [];
  }
  const { loopdevices } = JSON.parse(output) as { loopdevices: Array<{ name: string; "back-file": string }> };
  return loopdevices.map((each) => ({ device: each.name, file: each["back-file"].replace(/ \(deleted\)$/, "") }));
}

/** Detaches the loop devices whose file lies below a directory. */
export async function detachBelow(directory: string): Promise<void> {
  for (const { device, file } of await loopDevices()) {
    if (file.startsWith(`${directory}/`)) {
      await run("losetup", ["--detach", device]);
    }
  }
}
