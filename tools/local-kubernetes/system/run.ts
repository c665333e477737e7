import { spawn } from "node:child_process";
import { childEnvironment } from "./environment.ts";

export interface RunOptions {
  cwd?: string;
  /** Added to the process environment. */
  env?: Record<string, string>;
  /** Text for the program's standard input. Default: none. */
  input?: string;
  signal?: AbortSignal;
}

/** A program ended with another exit code than 0, or could not be started. */
export class CommandError extends Error {
  readonly exitCode: number | undefined;
  readonly stderr: string;

  constructor(command: string, exitCode: number | undefined, stderr: string, options?: ErrorOptions) {
    super(`${command}: ${stderr.trim() || `ended with exit code ${exitCode}`}`, options);
    this.name = "CommandError";
    this.exitCode = exitCode;
    this.stderr = stderr;
  }
}

/** Runs a program to its end and returns what it printed. Fails with a {@link CommandError}. */
export async function run(command: string, args: string[], options: RunOptions = {}): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const title = [command, ...args].join(" ").slice(0, 200);
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: { ...childEnvironment(), ...options.env },
    signal: options.signal,
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.on("error", (cause) => reject(new CommandError(title, undefined, cause.message, { cause })));
  child.on("close", (code, killedBy) => {
    if (code === 0) {
      resolve(stdout);
    } else {
      reject(new CommandError(title, code ?? undefined, stderr || `ended by ${killedBy ?? `exit code ${code}`}`));
    }
  });
  // A program that does not read its input is no error: what matters is how it ends.
  child.stdin.on("error", () => {});
  child.stdin.end(options.input ?? "");
  return promise;
}

/** Like {@link run}, for programs whose failure means no: returns undefined instead of failing. */
export async function tryRun(command: string, args: string[], options: RunOptions = {}): Promise<string | undefined> {
  try {
    return await run(command, args, options);
  } catch (error) {
    if (error instanceof CommandError) {
      return undefined;
    }
    throw error;
  }
}
