import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { waitFor } from "../system/wait.ts";
import { identify, isAlive, sendSignal, type ProcessIdentity } from "./identity.ts";

/** What a test may do to a server process. */
export interface ProcessHandle {
  readonly name: string;
  /** undefined while the process is stopped. */
  readonly pid: number | undefined;
  /** Resolves when the process is ready to serve. */
  start(): Promise<void>;
  /** Resolves when the process is gone. Default signal: SIGTERM; SIGKILL follows after 10 s. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  restart(signal?: NodeJS.Signals): Promise<void>;
  /** Stops the process in its tracks (SIGSTOP): its connections stay open, and nothing answers. */
  freeze(): void;
  thaw(): void;
}

export interface ProcessSpecification {
  name: string;
  command: string;
  args: string[];
  env?: Record<string, string>;
  logFile: string;
  /** The kernel kills the process when the one that started it dies, however it dies. Default: false. */
  dieWithParent?: boolean;
  /** True when the process serves. Called until then. Default: ready at once. */
  ready?: () => Promise<boolean>;
  /** Milliseconds for `ready`. Default: 60,000. */
  readyTimeout?: number;
}

const stopTimeout = 10_000;

export class ManagedProcess implements ProcessHandle {
  readonly specification: ProcessSpecification;
  identity: ProcessIdentity | undefined;

  /** @param identity the process, if it already runs */
  constructor(specification: ProcessSpecification, identity?: ProcessIdentity) {
    this.specification = specification;
    this.identity = identity;
  }

  get name(): string {
    return this.specification.name;
  }

  get pid(): number | undefined {
    return this.running ? this.identity?.pid : undefined;
  }

  get running(): boolean {
    return this.identity !== undefined && isAlive(this.identity);
  }

  async start(): Promise<void> {
    if (!this.running) {
      this.identity = launch(this.specification);
    }
    await this.untilReady();
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const { identity } = this;
    if (identity === undefined || !sendSignal(identity, signal)) {
      return;
    }
    // A frozen process takes no other signal than SIGKILL until it is thawed.
    sendSignal(identity, "SIGCONT");
    const gone = () => !isAlive(identity);
    const what = `${this.name} to end`;
    try {
      await waitFor(gone, { what, timeout: stopTimeout, interval: 10 });
    } catch {
      sendSignal(identity, "SIGKILL");
      await waitFor(gone, { what, timeout: stopTimeout, interval: 10 });
    }
  }

  async restart(signal?: NodeJS.Signals): Promise<void> {
    await this.stop(signal);
    await this.start();
  }

  freeze(): void {
    this.signal("SIGSTOP");
  }

  thaw(): void {
    this.signal("SIGCONT");
  }

  private signal(signal: NodeJS.Signals): void {
    if (this.identity === undefined || !sendSignal(this.identity, signal)) {
      throw new Error(`${this.name} does not run`);
    }
  }

  private async untilReady(): Promise<void> {
    const { name, ready, readyTimeout, logFile } = this.specification;
    await waitFor(
      async () => {
        if (!this.running) {
          throw new Error(`${name} ended at once. Its log (${logFile}) ends with:\n${lastLines(logFile, 10)}`);
        }
        return ready === undefined || (await ready());
      },
      { what: `${name}, see ${logFile}`, timeout: readyTimeout },
    );
  }
}

function launch(specification: ProcessSpecification): ProcessIdentity {
  const { name, command, args, env, logFile, dieWithParent } = specification;
  const argv = dieWithParent ? ["setpriv", "--pdeathsig", "KILL", "--", command, ...args] : [command, ...args];
  const log = openSync(logFile, "a");
  try {
    // A session of its own: Ctrl-C in a terminal reaches the program that started it, and not the servers.
    const child = spawn(argv[0]!, argv.slice(1), {
      detached: true,
      stdio: ["ignore", log, log],
      env: { ...process.env, ...env },
      cwd: "/",
    });
    child.unref();
    // Without a listener a missing program would end this process. The missing pid below says the same.
    child.on("error", () => {});
    const identity = child.pid === undefined ? undefined : identify(child.pid);
    if (identity === undefined) {
      throw new Error(`${name} could not be started: ${argv.join(" ")}`);
    }
    return identity;
  } finally {
    closeSync(log);
  }
}

function lastLines(file: string, count: number): string {
  try {
    return readFileSync(file, "utf8").trimEnd().split("\n").slice(-count).join("\n");
  } catch {
    // No log is no reason to hide the error that is being told.
    return "(no log)";
  }
}
