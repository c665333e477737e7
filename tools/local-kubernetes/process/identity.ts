import { readFileSync } from "node:fs";

/** Names one process for ever: a pid alone is used again by the kernel. */
export interface ProcessIdentity {
  pid: number;
  /** Clock ticks between the machine's boot and the process' start. */
  startTime: number;
}

/**
 * undefined if there is no such process, or if it is a zombie that waits for its parent. A zombie whose threads have not
 * all ended is still there: it holds its ports.
 */
export function identify(pid: number): ProcessIdentity | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    // The process is gone.
    return undefined;
  }
  // The second field is the name in parentheses and may have any character in it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, threads, startTime] = [fields[0], Number(fields[17]), Number(fields[19])];
  return state === "Z" && threads <= 1 ? undefined : { pid, startTime };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startTime === identity.startTime;
}

/** Sends a signal to exactly this process. Returns false if it is gone. */
export function sendSignal(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isAlive(identity)) {
    return false;
  }
  try {
    process.kill(identity.pid, signal);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") {
      return false;
    }
    throw error;
  }
}
