import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { prepareCli } from "@moco-ts/bundle";
import type { OperatorCluster } from "./operator-cluster.ts";

export interface Ran {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** `kubectl moco` as a person has it: one file on PATH, found by kubectl. */
export class Plugin {
  readonly #kubectl: string;
  readonly #environment: Record<string, string>;

  private constructor(kubectl: string, environment: Record<string, string>) {
    this.#kubectl = kubectl;
    this.#environment = environment;
  }

  static async install({ local }: OperatorCluster): Promise<Plugin> {
    const folder = join(local.directory, "plugins");
    await mkdir(folder, { recursive: true });
    await prepareCli(join(folder, "kubectl-moco"));
    const path = [folder, dirname(local.kubectlPath), dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter);
    return new Plugin(local.kubectlPath, { PATH: path, KUBECONFIG: local.kubeconfigPath, HOME: folder });
  }

  /** Starts `kubectl moco ARGS`. */
  start(args: readonly string[], input = "") {
    return this.#spawn(this.#kubectl, ["moco", ...args], input);
  }

  /** Runs it to its end. */
  async run(args: readonly string[], input?: string): Promise<Ran> {
    return this.start(args, input).ended;
  }

  /** Runs it on a terminal of its own, into which `input` is typed. */
  async runOnTerminal(args: readonly string[], input: string): Promise<Ran> {
    const line = [this.#kubectl, "moco", ...args].join(" ");
    return this.#spawn("script", ["--quiet", "--return", "--command", line, "/dev/null"], input).ended;
  }

  #spawn(program: string, args: readonly string[], input: string) {
    const child = spawn(program, args, { env: this.#environment });
    let [output, errors] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
    child.stdin.end(input);
    const ended = once(child, "close").then(([code]): Ran => ({ code: Number(code ?? -1), output, errors }));
    return { child, ended, output: () => output };
  }
}
