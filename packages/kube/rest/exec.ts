import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { abortReason } from "@moco-ts/base";
import { WebSocket } from "ws";
import type { ObjectKey } from "../types/object.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import type { Connection } from "./connection.ts";
import { ConnectionError, hasReason } from "./errors.ts";
import { errorOfAnswer, errorOfStatus, type Status } from "./status.ts";

/** The streams are the caller's: none of them is ended. */
export interface ExecOptions {
  readonly stdin?: Readable | undefined;
  readonly stdout?: Writable | undefined;
  readonly stderr?: Writable | undefined;
  /** The command gets a terminal, and writes its errors to `stdout` too. Default: false. */
  readonly terminal?: Terminal | boolean | undefined;
  readonly signal: AbortSignal;
}

/** Tells how large the terminal is. */
export interface Terminal {
  /** Calls back now and whenever the size changes, until the returned function is called. */
  onSize(callback: (size: { readonly columns: number; readonly rows: number }) => void): () => void;
}

/** The protocol of Kubernetes 1.30 and later, the first one that can tell a command of the end of its input. */
const protocol = "v5.channel.k8s.io";
/** The first byte of a message says what it is about. */
const channels = { stdin: 0, stdout: 1, stderr: 2, status: 3, size: 4, close: 255 } as const;
/** A peer that does not answer a ping until the next one is gone. */
const pingInterval = 10_000;
/** Bytes of input that may be under way. */
const highWaterMark = 1 << 20;

/** Runs a command in a container and resolves with its exit code. */
export async function exec(
  connection: Connection,
  config: ClusterConfig,
  request: { readonly pod: ObjectKey; readonly path: string },
  options: ExecOptions,
): Promise<number> {
  for (let refreshed = false; ; refreshed = true) {
    try {
      return await attempt(connection, config, request, options);
    } catch (error) {
      if (refreshed || !hasReason(error, "Unauthorized") || !connection.authentication.refresh()) throw error;
    }
  }
}

async function attempt(
  { authentication, clock, userAgent, timeout }: Connection,
  config: ClusterConfig,
  { pod, path }: { readonly pod: ObjectKey; readonly path: string },
  options: ExecOptions,
): Promise<number> {
  const { signal } = options;
  const what = `exec in ${pod.name}`;
  const [identity, material] = await Promise.all([authentication.headers(), authentication.tls()]);
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const socket = new WebSocket(config.server.replace(/^http/, "ws").replace(/\/+$/, "") + path, protocol, {
    ...material,
    ...(config.tlsServerName && { servername: config.tlsServerName }),
    rejectUnauthorized: !config.insecureSkipTlsVerify,
    headers: { "user-agent": userAgent, ...identity },
    perMessageDeflate: false,
    ...(Number.isFinite(timeout) && { handshakeTimeout: timeout }),
  });
  const undo: (() => void)[] = [];
  const onAbort = (): void => reject(abortReason(signal));
  signal.addEventListener("abort", onAbort, { once: true });
  socket.on("unexpected-response", (_request, response) => {
    const answered = text(response).then((body) => errorOfAnswer(what, response.statusCode ?? 0, body));
    answered.then(reject, reject);
  });
  socket.on("error", (cause) => reject(new ConnectionError(`${what} got no answer`, { cause })));
  socket.on("close", () => reject(new ConnectionError(`${what} was cut`)));
  socket.on("open", () => undo.push(sendInput(socket, options.stdin, reject), sendSizes(socket, options)));
  socket.on("message", (message: Buffer) => {
    try {
      const code = receive(what, socket, message, options);
      if (code !== undefined) resolve(code);
    } catch (error) {
      reject(error);
    }
  });
  let answered = true;
  socket.on("pong", () => (answered = true));
  const ping = (): void => {
    if (!answered) return reject(new ConnectionError(`${what}: no sign of life for ${pingInterval} ms`));
    if (socket.readyState === WebSocket.OPEN) {
      answered = false;
      socket.ping();
    }
    cancelPing = clock.schedule(pingInterval, ping);
  };
  let cancelPing = clock.schedule(pingInterval, ping);
  try {
    return await promise;
  } finally {
    cancelPing();
    signal.removeEventListener("abort", onAbort);
    for (const each of undo) each();
    socket.terminate();
  }
}

/** The exit code, if that is what the message tells. */
function receive(what: string, socket: WebSocket, message: Buffer, options: ExecOptions): number | undefined {
  const content = message.subarray(1);
  switch (message[0]) {
    case channels.stdout:
      write(socket, options.stdout, content);
      return undefined;
    case channels.stderr:
      write(socket, options.stderr, content);
      return undefined;
    case channels.status:
      return exitCodeOf(what, JSON.parse(content.toString("utf8")) as Status);
    default:
      // The ends of streams: the status comes after all of them.
      return undefined;
  }
}

/** A command that writes faster than we can is held back. */
function write(socket: WebSocket, stream: Writable | undefined, content: Buffer): void {
  if (!stream || content.length === 0 || stream.write(content)) return;
  socket.pause();
  stream.once("drain", () => socket.resume());
}

function sendInput(socket: WebSocket, stdin: Readable | undefined, onError: (error: Error) => void): () => void {
  if (!stdin) return () => undefined;
  const onData = (chunk: Buffer | string): void => {
    const drained = (): void => {
      if (socket.bufferedAmount < highWaterMark) stdin.resume();
    };
    socket.send(Buffer.concat([Buffer.from([channels.stdin]), Buffer.from(chunk)]), drained);
    if (socket.bufferedAmount >= highWaterMark) stdin.pause();
  };
  const onEnd = (): void => socket.send(Buffer.from([channels.close, channels.stdin]));
  stdin.on("data", onData);
  stdin.on("end", onEnd);
  stdin.on("error", onError);
  if (stdin.readableEnded) onEnd();
  return () => {
    stdin.off("data", onData);
    stdin.off("end", onEnd);
    stdin.off("error", onError);
    // A program that has nothing else to do may end now, although somebody could still type.
    stdin.pause();
  };
}

function sendSizes(socket: WebSocket, { terminal }: ExecOptions): () => void {
  if (typeof terminal !== "object") return () => undefined;
  return terminal.onSize(({ columns, rows }) => {
    const size = JSON.stringify({ Width: columns, Height: rows });
    socket.send(Buffer.concat([Buffer.from([channels.size]), Buffer.from(size)]));
  });
}

function exitCodeOf(what: string, status: Status): number {
  if (status.status === "Success") return 0;
  const code = status.details?.causes?.find((cause) => cause.reason === "ExitCode")?.message;
  if (code === undefined) throw errorOfStatus(what, status);
  return Number(code);
}
