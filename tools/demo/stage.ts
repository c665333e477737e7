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

/** `kubectl moco ARGS`, as it looks on this terminal. */
export async function plugin({ plugin, kubeconfigPath, namespace, signal }: Stage, ...args: string[]): Promise<string> {
  const environment = { ...process.env, KUBECONFIG: kubeconfigPath, ...(process.stdout.isTTY && { FORCE_COLOR: "1" }) };
  const options = { env: environment, signal };
  const { stdout } = await promisify(execFile)(plugin, ["--namespace", namespace, ...args], options);
  return stdout.trimEnd();
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
