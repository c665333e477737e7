import { readFile } from "node:fs/promises";

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
