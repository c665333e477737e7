import { execFile } from "node:child_process";
import { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { Client, PodStreams } from "@moco-ts/kube";
import type { Narrator } from "./narrator.ts";
import type { Place } from "./place.ts";

/** All that the story needs. */
export interface Stage extends Pick<Place, "kubeconfigPath" | "namespace" | "image"> {
  readonly client: Client;
  readonly streams: PodStreams;
  readonly narrator: Narrator;
  /** Path of kubectl-moco. */
  readonly plugin: string;
  readonly signal: AbortSignal;
}

/** What a command in mysqld's container prints. */
export async function run({ streams, namespace, signal }: Stage, name: string, script: string): Promise<string> {
  const [output, errors] = [new Capture(), new Capture()];
  const options = { stdout: output, stderr: errors, signal };
  const code = await streams.exec({ namespace, name }, "mysqld", ["sh", "-c", script], options);
  if (code !== 0) throw new Error(`a command in ${name} ended with ${code}: ${errors.text.trim()}`);
  return output.text.trim();
}

/** `kubectl moco ARGS`, which prints what it would print on this terminal. */
export function pluginCommand({ plugin, kubeconfigPath, namespace }: Stage, ...args: string[]) {
  const environment = { ...process.env, KUBECONFIG: kubeconfigPath, ...(process.stdout.isTTY && { FORCE_COLOR: "1" }) };
  return { file: plugin, args: ["--namespace", namespace, ...args], env: environment };
}

/** Runs `kubectl moco ARGS` to its end. Returns what it prints. */
export async function plugin(stage: Stage, ...args: string[]): Promise<string> {
  const command = pluginCommand(stage, ...args);
  const options = { env: command.env, signal: stage.signal };
  return (await promisify(execFile)(command.file, command.args, options)).stdout.trimEnd();
}

export async function until(stage: Stage, what: string, condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 300_000;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited five minutes in vain for ${what}`);
    await sleep(200, undefined, { signal: stage.signal });
  }
}

class Capture extends Writable {
  text = "";

  override _write(chunk: Buffer, _encoding: string, callback: () => void): void {
    this.text += chunk.toString();
    callback();
  }
}
