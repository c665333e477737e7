import { readFile } from "node:fs/promises";
import { run, tryRun } from "./run.ts";
import { waitFor } from "./wait.ts";

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
export async function detachBelow(directory: string): Promise<void> {
  const attached = async () => (await loopDevices()).filter(({ file }) => file.startsWith(`${directory}/`));
  for (const { device } of await attached()) {
    await run("losetup", ["--detach", device]);
  }
  await waitFor(async () => (await attached()).length === 0, {
    what: `loop devices below ${directory} to be detached`,
  });
}
