import { readFileSync } from "node:fs";
import { waitFor } from "../system/wait.ts";
import { isAlive, sendSignal, type ProcessIdentity } from "./identity.ts";
import { launch, readRecord, type ProcessSpecification } from "./launch.ts";

/** What a test may do to a server process. */
export interface ProcessHandle {
  readonly name: string;
  /** undefined while the process is stopped. */
  readonly pid: number | undefined;
  /** Resolves when the process is ready to serve. Once it runs, the signal only ends the wait for it. */
  start(signal?: AbortSignal): Promise<void>;
  /** Resolves when the process is gone. Default signal: SIGTERM; SIGKILL follows after 5 s. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  restart(signal?: NodeJS.Signals): Promise<void>;
  /** Stops the process in its tracks (SIGSTOP): its connections stay open, and nothing answers. */
  freeze(): void;
  thaw(): void;
}

// An API server with open watches would wait for them for a minute.
const stopTimeout = 5_000;

/** A process that can be started, found again, and stopped. */
export class ManagedProcess implements ProcessHandle {
  readonly specification: ProcessSpecification;
  identity: ProcessIdentity | undefined;

  /** If the specification has a record file, the process may already run. */
  constructor(specification: ProcessSpecification) {
    this.specification = specification;
    this.identity = specification.recordFile === undefined ? undefined : readRecord(specification.recordFile);
  }

  get name(): string {
    return this.specification.name;
  }

  get logFile(): string {
    return this.specification.logFile;
  }

  get pid(): number | undefined {
    return this.running ? this.identity?.pid : undefined;
  }

  get running(): boolean {
    return this.identity !== undefined && isAlive(this.identity);
  }

  async start(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (!this.running) {
      this.identity = launch(this.specification);
    }
    await this.untilReady(signal);
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

  private async untilReady(signal?: AbortSignal): Promise<void> {
    const { name, ready, readyTimeout, logFile } = this.specification;
    await waitFor(
      async () => {
        if (!this.running) {
          throw new Error(`${name} ended at once. Its log (${logFile}) ends with:\n${lastLines(logFile, 20)}`);
        }
        return ready === undefined || (await ready());
      },
      { what: `${name}, see ${logFile}`, timeout: readyTimeout, signal },
    );
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
