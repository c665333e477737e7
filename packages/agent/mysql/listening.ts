import { readFile } from "node:fs/promises";

/** One for each version of the Internet protocol; of the network of this Pod. */
const tables = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];
/** What the kernel calls the state of a socket that is listened on. */
const listening = "0A";

/** Whether anybody in this Pod listens at a port. If that can't be known: true. */
export async function isListening(port: number): Promise<boolean> {
  const read = await Promise.allSettled(tables.map((table) => readFile(table, "utf8")));
  const texts = read.filter((each) => each.status === "fulfilled").map(({ value }) => value);
  return texts.length === 0 || texts.some((text) => tells(text, port));
}

function tells(table: string, port: number): boolean {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return table.split("\n").some((line) => {
    const [, local, , state] = line.trim().split(/\s+/);
    return state === listening && local!.endsWith(suffix);
  });
}
