import { homedir, userInfo } from "node:os";
import { join } from "node:path";

/** The folder of all clusters' state, one folder each. */
export function stateDirectory(environment: NodeJS.ProcessEnv = process.env): string {
  if (environment["MOCO_TS_STATE"]) {
    return environment["MOCO_TS_STATE"];
  }
  return userInfo().uid === 0
    ? "/var/lib/moco-ts"
    : join(environment["XDG_STATE_HOME"] || join(homedir(), ".local", "state"), "moco-ts");
}
