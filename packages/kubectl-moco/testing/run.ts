import { PassThrough } from "node:stream";
import { sharedControlPlane } from "@moco-ts/local-kubernetes";
import { run } from "../program.ts";

export interface RunOptions {
  readonly namespace?: string;
  /** Beside KUBECONFIG, or instead of it. */
  readonly environment?: Record<string, string>;
  /** What a person types at a terminal. Default: standard input is none. */
  readonly typed?: string;
  /** Standard output is a terminal. Default false. */
  readonly terminal?: boolean;
  readonly signal?: AbortSignal;
}

export interface Ran {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs a command line in this process, as `kubectl moco ARGS` would be on the tests' API server. */
export async function runCommand(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { command, ended } = await startCommand(args, options);
  const code = await ended;
  return { code, output: command.output(), errors: command.errors() };
}

/** The same, for a command that goes on. */
export async function startCommand(args: readonly string[], options: RunOptions = {}) {
  const { namespace, typed, terminal = false, signal = new AbortController().signal } = options;
  const environment = { KUBECONFIG: (await sharedControlPlane()).kubeconfigPath, ...options.environment };
  const stdin = Object.assign(new PassThrough(), { isTTY: typed !== undefined });
  if (typed !== undefined) stdin.end(typed);
  const stdout = Object.assign(new PassThrough(), { isTTY: terminal, columns: 200, rows: 50 });
  const stderr = new PassThrough();
  const read = (stream: PassThrough): (() => string) => {
    let text = "";
    stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
    return () => text;
  };
  const command = { output: read(stdout), errors: read(stderr) };
  const all = namespace === undefined ? args : ["--namespace", namespace, ...args];
  const ended = run(all, { io: { stdin, stdout, stderr }, environment, signal });
  return { command, ended };
}
