import type { Readable, Writable } from "node:stream";
import { abortReason, CodedError } from "@moco-ts/base";
import type { ObjectKey } from "../types/object.ts";
import { answerStream } from "./answer-stream.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import type { Authentication } from "./authentication.ts";
import { createConnection, type ConnectOptions } from "./connection.ts";
import { ConnectionError } from "./errors.ts";
import { queryOf } from "./requests.ts";
import { errorOfStatus, type Status } from "./status.ts";

/** Bytes into and out of containers. */
export interface PodStreams {
  /** Runs a command and resolves with its exit code. Output that has no stream is thrown away. */
  exec(pod: ObjectKey, container: string, command: readonly string[], options: ExecOptions): Promise<number>;
  /** A container's log as it comes, until its end, which with `follow` is the container's. */
  logs(pod: ObjectKey, options: LogOptions): AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

export interface ExecOptions {
  readonly stdin?: Readable;
  readonly stdout?: Writable;
  readonly stderr?: Writable;
  readonly tty?: boolean;
  readonly signal: AbortSignal;
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
  const { exchange, transport, authentication, clock } = createConnection(config, options);
  return {
    exec: (pod, container, command, options) => exec(config, authentication, pod, container, command, options),
    async *logs(pod, { signal, ...parameters }) {
      const path = `${podPath(pod)}/log${queryOf(parameters)}`;
      const request = { method: "GET", path, headers: { accept: "*/*" }, signal } as const;
      for await (const chunks of answerStream(exchange, clock, request)) yield* chunks;
    },
    close: () => transport.close(),
  };
}

async function exec(
  config: ClusterConfig,
  authentication: Authentication,
  pod: ObjectKey,
  container: string,
  command: readonly string[],
  options: ExecOptions,
): Promise<number> {
  const { signal, stdin = null, stdout = null, stderr = null, tty = false } = options;
  signal.throwIfAborted();
  // Loaded here only: it costs a second and 85 MB, and hardly any program runs commands in pods.
  const { Exec, KubeConfig } = await import("@kubernetes/client-node");
  const kubeConfig = new KubeConfig();
  await describeTo(kubeConfig, config, authentication);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const what = `exec in ${pod.name}`;
  const onStatus = (status: Status): void => {
    try {
      resolve(exitCodeOf(what, status));
    } catch (error) {
      reject(error);
    }
  };
  // The upgrade can't be given up by a signal: whoever comes too late is closed at once.
  const socket = await new Exec(kubeConfig)
    .exec(pod.namespace ?? config.namespace, pod.name, container, [...command], stdout, stderr, stdin, tty, onStatus)
    .catch((event: { message?: string }) => {
      throw new ConnectionError(`${what} was refused: ${event.message ?? "no reason given"}`);
    });
  const onAbort = (): void => {
    reject(abortReason(signal));
    socket.terminate();
  };
  socket.addEventListener("close", () => reject(new ConnectionError(`${what} was cut`)));
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await promise;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** Our configuration, with whatever rotates as it is now, in the library's terms. */
async function describeTo(
  kubeConfig: { loadFromClusterAndUser(cluster: never, user: never): void },
  config: ClusterConfig,
  authentication: Authentication,
): Promise<void> {
  const { ca, cert, key } = await authentication.tls();
  const { authorization } = await authentication.headers();
  const { basic, impersonate } = config.credentials;
  const base64 = (text: string | undefined): string | undefined => text && Buffer.from(text).toString("base64");
  const bearer =
    typeof authorization === "string" && authorization.startsWith("Bearer ") ? authorization.slice(7) : undefined;
  const cluster = {
    name: "cluster",
    server: config.server.replace(/\/+$/, ""),
    caData: base64(ca),
    tlsServerName: config.tlsServerName,
    skipTLSVerify: config.insecureSkipTlsVerify ?? false,
  };
  const user = {
    name: "user",
    certData: base64(cert),
    keyData: base64(key),
    token: bearer,
    ...(!bearer && basic),
    impersonateUser: impersonate?.user,
  };
  kubeConfig.loadFromClusterAndUser(cluster as never, user as never);
}

function exitCodeOf(what: string, status: Status): number {
  if (status.status === "Success") return 0;
  const code = status.details?.causes?.find((cause) => cause.reason === "ExitCode")?.message;
  if (code === undefined) throw errorOfStatus(what, status);
  return Number(code);
}

function podPath(pod: ObjectKey): string {
  if (!pod.namespace) throw new CodedError("NAMESPACE_MISSING", `the pod ${pod.name} has no namespace`);
  return `/api/v1/namespaces/${encodeURIComponent(pod.namespace)}/pods/${encodeURIComponent(pod.name)}`;
}
