import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { CodedError } from "@moco-ts/base";
import type { ExecPlugin } from "./cluster-config.ts";

export interface ExecCredential {
  readonly token?: string;
  readonly clientCertificateData?: string;
  readonly clientKeyData?: string;
  /** Milliseconds since the epoch; undefined if the credential holds until it is refused. */
  readonly expiresAt?: number;
}

/** Runs the plugin once. It may take long (a person may have to log in elsewhere), so nothing is blocked by it. */
export async function runExecPlugin(plugin: ExecPlugin): Promise<ExecCredential> {
  const info = {
    apiVersion: plugin.apiVersion,
    kind: "ExecCredential",
    spec: { interactive: false, ...(plugin.clusterInfo && { cluster: plugin.clusterInfo }) },
  };
  const child = spawn(plugin.command, plugin.arguments, {
    env: { ...plugin.environment, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
    // What the plugin tells a person goes to our standard error; its answer, a secret, only to us.
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise<number | string>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signalName) => resolve(code ?? signalName ?? "unknown"));
  });
  let exit, output;
  try {
    [exit, output] = await Promise.all([exited, text(child.stdout)]);
  } catch (error) {
    const hint = plugin.installHint ? `; ${plugin.installHint}` : "";
    throw failure(plugin, `cannot be run${hint}`, error);
  }
  if (exit !== 0) throw failure(plugin, `ended with ${exit}`);
  return parseCredential(plugin, output);
}

function parseCredential(plugin: ExecPlugin, output: string): ExecCredential {
  let answer: { kind?: unknown; apiVersion?: unknown; status?: Record<string, unknown> };
  try {
    answer = JSON.parse(output) as typeof answer;
  } catch {
    // The parser's message may quote the output, which is a secret.
    throw failure(plugin, "printed something that is not JSON");
  }
  if (answer.kind !== "ExecCredential" || answer.apiVersion !== plugin.apiVersion || !answer.status) {
    throw failure(plugin, `did not print an ExecCredential of ${plugin.apiVersion} with a status`);
  }
  const { token, clientCertificateData, clientKeyData, expirationTimestamp } = answer.status;
  const expiresAt = typeof expirationTimestamp === "string" ? Date.parse(expirationTimestamp) : NaN;
  if (typeof token !== "string" && typeof clientCertificateData !== "string") {
    throw failure(plugin, "gave neither a token nor a client certificate");
  }
  return {
    ...(typeof token === "string" && { token }),
    ...(typeof clientCertificateData === "string" && { clientCertificateData }),
    ...(typeof clientKeyData === "string" && { clientKeyData }),
    ...(!Number.isNaN(expiresAt) && { expiresAt }),
  };
}

function failure(plugin: ExecPlugin, what: string, cause?: unknown): CodedError {
  return new CodedError("EXEC_PLUGIN_FAILED", `exec plugin ${plugin.command} ${what}`, { cause });
}
