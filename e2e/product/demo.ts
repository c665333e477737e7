import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

export interface DemoOptions {
  /** Of the environment. Default: none, so that it plays on a node of its own. */
  readonly kubeconfigPath?: string;
  /** Runs it on a terminal of its own. Default false. */
  readonly terminal?: boolean;
}

export interface Ended {
  /** 128 and its number if a signal ended it. */
  readonly code: number;
  readonly output: string;
}

/** The demo as a person runs it. */
export class Demo {
  /** For its temporary files: it has to leave none. */
  readonly folder: string;
  readonly ended: Promise<Ended>;
  readonly #terminal: boolean;
  readonly #child: ReturnType<typeof spawn>;
  #output = "";

  private constructor(command: readonly string[], folder: string, { kubeconfigPath, terminal = false }: DemoOptions) {
    this.folder = folder;
    const { KUBECONFIG: _, KEEP: __, ...environment } = process.env;
    const kubeconfig = kubeconfigPath === undefined ? {} : { KUBECONFIG: kubeconfigPath };
    const env = { ...environment, ...kubeconfig, TMPDIR: folder, TERM: "xterm" };
    const onTerminal = `stty rows 50 cols 160; exec ${command.join(" ")}`;
    const [file, ...args] = terminal
      ? ["script", "--quiet", "--return", "--command", onTerminal, "/dev/null"]
      : command;
    this.#terminal = terminal;
    // A process group of its own, as a shell gives to each command line: Ctrl-C is for all of it.
    this.#child = spawn(file!, args, { cwd: root, env, detached: true, stdio: "pipe" });
    this.#child.stdout!.on("data", (text: Buffer) => (this.#output += text.toString()));
    this.#child.stderr!.on("data", (text: Buffer) => (this.#output += text.toString()));
    if (!terminal) this.#child.stdin!.end();
    this.ended = once(this.#child, "close").then(([code, signal]) => ({
      code: signal === "SIGINT" ? 130 : Number(code),
      output: this.#output,
    }));
  }

  /** `make demo`, with variables such as KEEP=1. */
  static async make(variables: readonly string[], options: DemoOptions = {}): Promise<Demo> {
    return new Demo(["make", "demo", ...variables], await mkdtemp(join(tmpdir(), "demo-test-")), options);
  }

  /** What it has printed so far. */
  get output(): string {
    return this.#output;
  }

  /** Until it has printed this. */
  async says(pattern: RegExp): Promise<void> {
    if (pattern.test(this.#output)) return;
    const data = once(this.#child.stdout!, "data").then(() => true);
    const ended = this.ended.then(() => false);
    if (await Promise.race([data, ended])) return this.says(pattern);
    throw new Error(`the demo ended without saying ${String(pattern)}:\n${this.#output}`);
  }

  /** On its terminal. */
  type(text: string): void {
    this.#child.stdin!.write(text);
  }

  /** Ctrl-C. */
  interrupt(): void {
    if (this.#terminal) this.type("\x03");
    else process.kill(-this.#child.pid!, "SIGINT");
  }

  /** True while any process of its command line runs. */
  get isRunning(): boolean {
    try {
      return process.kill(-this.#child.pid!, 0);
    } catch {
      return false;
    }
  }
}
