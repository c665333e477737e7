import { readdir, readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

/** Stops a process in its tracks. A thread that runs on another core goes on for a moment after the signal: waits for all. */
export async function freeze(pid: number): Promise<void> {
  process.kill(pid, "SIGSTOP");
  while (!(await isFrozen(pid))) await delay(5);
}

async function isFrozen(pid: number): Promise<boolean> {
  const threads = await readdir(`/proc/${pid}/task`);
  const states = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/stat`, "utf8")));
  return states.every((stat) => stat.slice(stat.lastIndexOf(")") + 2).startsWith("T"));
}
