import { access, constants } from "node:fs/promises";
import { platform, userInfo } from "node:os";
import { join } from "node:path";

// Often missing from the PATH of who became root by su or sudo.
const systemDirectories = ["/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin", "/bin"];

/** The process environment, with the folders of system programs in PATH. */
export function childEnvironment(): NodeJS.ProcessEnv {
  const directories = (process.env["PATH"] ?? "").split(":").filter((directory) => directory !== "");
  return { ...process.env, PATH: [...new Set([...directories, ...systemDirectories])].join(":") };
}

/** The path of a program, or undefined. */
export async function findProgram(name: string): Promise<string | undefined> {
  for (const directory of (childEnvironment()["PATH"] ?? "").split(":")) {
    const path = join(directory, name);
    try {
      await access(path, constants.X_OK);
      return path;
    } catch {
      // Not here: look further.
    }
  }
  return undefined;
}

/** Why no node can run here, in one line for a person, or undefined. */
export function whyNoNode(): string | undefined {
  const existing = "or set KUBECONFIG to use an existing cluster";
  if (platform() !== "linux") {
    return `a local node needs Linux, and this is ${platform()}: use a Linux machine, ${existing}`;
  }
  if (userInfo().uid !== 0) {
    return `a local node needs root: run this with sudo, use --control-plane-only, ${existing}`;
  }
  return undefined;
}
