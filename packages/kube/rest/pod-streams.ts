import { CodedError } from "@moco-ts/base";
import type { ObjectKey } from "../types/object.ts";
import { answerStream } from "./answer-stream.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import { createConnection, type ConnectOptions } from "./connection.ts";
import { exec, type ExecOptions } from "./exec.ts";
import { queryOf } from "./requests.ts";

/** Bytes into and out of containers. */
export interface PodStreams {
  /** Runs a command and resolves with its exit code. Output that has no stream is thrown away. */
  exec(pod: ObjectKey, container: string, command: readonly string[], options: ExecOptions): Promise<number>;
  /** A container's log as it comes, until its end, which with `follow` is the container's. */
  logs(pod: ObjectKey, options: LogOptions): AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

export interface LogOptions {
  /** Default: the pod's only container. */
  readonly container?: string;
  readonly follow?: boolean;
  readonly previous?: boolean;
  readonly tailLines?: number;
  readonly sinceSeconds?: number;
  readonly timestamps?: boolean;
  readonly signal: AbortSignal;
}

export function createPodStreams(config: ClusterConfig, options: ConnectOptions = {}): PodStreams {
  const connection = createConnection(config, options);
  const { exchange, transport, clock } = connection;
  return {
    exec: (pod, container, command, options) =>
      exec(connection, config, { pod, path: execPath(pod, container, command, options) }, options),
    async *logs(pod, { signal, ...parameters }) {
      const path = `${podPath(pod)}/log${queryOf(parameters)}`;
      const request = { method: "GET", path, headers: { accept: "*/*" }, signal } as const;
      for await (const chunks of answerStream(exchange, clock, request)) yield* chunks;
    },
    close: () => transport.close(),
  };
}

function execPath(pod: ObjectKey, container: string, command: readonly string[], options: ExecOptions): string {
  const tty = !!options.terminal;
  const words = new URLSearchParams(command.map((word): [string, string] => ["command", word]));
  const query = queryOf({ container, stdin: options.stdin !== undefined, stdout: true, stderr: !tty, tty });
  return `${podPath(pod)}/exec${query}&${words.toString()}`;
}

function podPath(pod: ObjectKey): string {
  if (!pod.namespace) throw new CodedError("NAMESPACE_MISSING", `the pod ${pod.name} has no namespace`);
  return `/api/v1/namespaces/${encodeURIComponent(pod.namespace)}/pods/${encodeURIComponent(pod.name)}`;
}
