import { join } from "node:path";
import { cacheDirectory } from "../system/cache.ts";
import { withLock } from "../system/lock.ts";
import type { Report } from "../system/report.ts";

/** Runs work on a cluster while no other process works on it. */
export async function withClusterLock<T>(name: string, report: Report, work: () => Promise<T>): Promise<T> {
  // In the cache: `down` leaves nothing in the state directory.
  const file = join(cacheDirectory(), "locks", name);
  return withLock(file, work, () => report(`waiting for another process that works on ${name}`));
}
