import { homedir } from "node:os";
import { join } from "node:path";

/** Where everything lives that is expensive to get and the same for all clusters: binaries, base images. */
export function cacheDirectory(environment: NodeJS.ProcessEnv = process.env): string {
  return environment["MOCO_TS_CACHE"] || join(environment["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "moco-ts");
}
