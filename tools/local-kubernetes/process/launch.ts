import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { createGroup } from "../system/cgroups.ts";
import { childEnvironment } from "../system/environment.ts";
import { identify, type ProcessIdentity } from "./identity.ts";

export interface ProcessSpecification {
  name: string;
  command: string;
  args: string[];
  env?: Record<string, string>;
  logFile: string;
  /** A file that the process writes its pid and start time into before anything else. Default: none. */
  recordFile?: string;
  /** The control group that it, and whatever it starts, belongs to. Default: that of whoever starts it. */
  group?: string;
  /** The kernel kills the process when the one that started it dies, however it dies. Default: false. */
  dieWithParent?: boolean;
  /** True when the process serves. Called until then. Default: ready at once. */
  ready?: () => Promise<boolean>;
  /** Milliseconds for `ready`. Default: 60,000. */
  readyTimeout?: number;
}

/**
 * What a process does before it becomes the program: it writes down who it is, and goes where it is counted. As it does
 * so itself, there is no moment at which we could be interrupted and lose it.
 */
const introduction = `
if [ -n "$1" ]; then cut -d ' ' -f 1,22 /proc/$$/stat >"$1" || exit; fi
if [ -n "$2" ]; then echo $$ >"$2" || exit; fi
shift 2
exec "$@"
`;

/** The kernel tells of a parent's death only those who asked before it: whoever asked too late has another parent now. */
const orphanCheck = '[ "$PPID" = "$1" ] || exit 1; shift; exec "$@"';

/** Starts a process that goes on after us, unless it is to die with its parent. */
export function launch(specification: ProcessSpecification): ProcessIdentity {
  const { name, command, args, env, logFile, recordFile = "", group, dieWithParent } = specification;
  let argv = [command, ...args];
  if (recordFile !== "" || group !== undefined) {
    argv = ["sh", "-c", introduction, "sh", recordFile, group === undefined ? "" : createGroup(group), ...argv];
  }
  if (dieWithParent) {
    argv = ["setpriv", "--pdeathsig", "KILL", "--", "sh", "-c", orphanCheck, "sh", String(process.pid), ...argv];
  }
  const log = openSync(logFile, "a");
  try {
    // A session of its own: Ctrl-C in a terminal reaches the program that started it, and not the servers.
    const child = spawn(argv[0]!, argv.slice(1), {
      detached: true,
      stdio: ["ignore", log, log],
      env: { ...childEnvironment(), ...env },
      cwd: "/",
    });
    child.unref();
    // Without a listener a missing program would end this process. The missing pid below says the same.
    child.on("error", () => {});
    const identity = child.pid === undefined ? undefined : identify(child.pid);
    if (identity === undefined) {
      throw new Error(`${name} could not be started: ${command}`);
    }
    return identity;
  } finally {
    closeSync(log);
  }
}

/** Who was last started with this record file. It may have ended since. */
export function readRecord(recordFile: string): ProcessIdentity | undefined {
  let text: string;
  try {
    text = readFileSync(recordFile, "utf8");
  } catch {
    // It was never started.
    return undefined;
  }
  const [pid, startTime] = text.trim().split(" ").map(Number);
  return pid && startTime ? { pid, startTime } : undefined;
}
