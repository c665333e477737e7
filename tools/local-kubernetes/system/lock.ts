import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Runs `work` while no other process holds the lock file.
 *
 * flock(1) holds the lock and ends when our end of its standard input closes, so the kernel frees the lock even if this
 * process is killed: there is never a stale lock.
 */
export async function withLock<T>(path: string, work: () => Promise<T>, onWait?: () => void): Promise<T> {
  await mkdir(dirname(path), { recursive: true });
  const holder = spawn("flock", [path, "sh", "-c", "echo locked; exec cat >/dev/null"], {
    stdio: ["pipe", "pipe", "inherit"],
    detached: true,
  });
  const waiting = setTimeout(() => onWait?.(), 500);
  try {
    await Promise.race([
      once(holder.stdout, "data"),
      once(holder, "exit").then(([code]) => {
        throw new Error(`flock ${path} ended with exit code ${String(code)}`);
      }),
    ]);
  } finally {
    clearTimeout(waiting);
  }
  try {
    return await work();
  } finally {
    holder.stdin.end();
  }
}
