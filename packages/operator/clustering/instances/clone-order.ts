/** Asks an agent to clone: gRPC `moco.Agent/Clone` as agents have always understood it, over mutual TLS. */
import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream } from "node:http2";
import { CodedError, raceAbort } from "@moco-ts/base";
import { ports } from "@moco-ts/api";
import type { Certificate } from "@moco-ts/kube";
import type { CloneOrder } from "../kubernetes.ts";

export interface CloneCall {
  /** The host name that the agent's certificate is valid for. */
  readonly serverName: string;
  readonly credentials: Certificate;
  readonly order: CloneOrder;
  /** Default: the agents' own. */
  readonly port?: number;
}

/** Resolves when the clone is complete and mysqld is back; rejects with AGENT_CLONE_FAILED and the agent's words. */
export async function orderClone(call: CloneCall, signal: AbortSignal): Promise<void> {
  const { serverName, credentials, order } = call;
  signal.throwIfAborted();
  const session = connect(`https://${serverName}`, {
    host: order.address,
    port: call.port ?? ports.agent.number,
    servername: serverName,
    ca: credentials.authorities,
    cert: credentials.certificate,
    key: credentials.privateKey,
  });
  try {
    await raceAbort(callAgent(session, serverName, encodeOrder(order)), signal);
  } finally {
    session.destroy();
  }
}

async function callAgent(session: ClientHttp2Session, authority: string, message: Buffer): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const fail = (problem: string): void => reject(new CodedError("AGENT_CLONE_FAILED", problem));
    let isConnected = false;
    session.once("connect", () => (isConnected = true));
    session.once("error", (error) => fail(`the agent can't be reached: ${error.message}`));
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: "POST",
      [constants.HTTP2_HEADER_PATH]: "/moco.Agent/Clone",
      [constants.HTTP2_HEADER_AUTHORITY]: authority,
      [constants.HTTP2_HEADER_CONTENT_TYPE]: "application/grpc",
      [constants.HTTP2_HEADER_TE]: "trailers",
    });
    keepAlive(session, stream);
    stream.once("error", (error) => {
      fail(`${isConnected ? "the agent hung up" : "the agent can't be reached"}: ${error.message}`);
    });
    const conclude = (headers: object): void => {
      const { "grpc-status": status, "grpc-message": text = "" } = headers as Record<string, string | undefined>;
      if (status === "0") resolve();
      else if (status !== undefined) fail(`${decodeURIComponent(text)} (gRPC status ${status})`);
    };
    // A refusal may come without a body, all in the first headers.
    stream.once("response", conclude);
    stream.once("trailers", conclude);
    stream.once("close", () => fail("the agent ended the call without an answer"));
    stream.resume();
    stream.end(message);
  });
}

/** An agent whose node has died never answers: HTTP/2 asks it whether it is still there. */
function keepAlive(session: ClientHttp2Session, stream: ClientHttp2Stream): void {
  let isAnswered = true;
  const timer = setInterval(() => {
    if (!isAnswered) return session.destroy(new Error("no answer to a ping"));
    isAnswered = false;
    session.ping(() => (isAnswered = true));
  }, pingPeriod);
  stream.once("close", () => clearInterval(timer));
}

/** Milliseconds. Agents hang up on who asks more often than every ten seconds. */
const pingPeriod = 60_000;

/** The message in Protocol Buffers' form, behind gRPC's header. */
function encodeOrder({ donor, init, bootTimeout }: CloneOrder): Buffer {
  const duration = number(1, Math.ceil(bootTimeout / 1_000));
  const message = Buffer.concat([
    text(1, donor.host),
    number(2, donor.port),
    text(3, donor.user),
    text(4, donor.password),
    text(5, init.user),
    text(6, init.password),
    bytes(7, duration),
  ]);
  const header = Buffer.alloc(5);
  header.writeUInt32BE(message.length, 1);
  return Buffer.concat([header, message]);
}

function number(field: number, value: number): Buffer {
  return Buffer.from([...varint(field << 3), ...varint(value)]);
}

function text(field: number, value: string): Buffer {
  return bytes(field, Buffer.from(value, "utf8"));
}

function bytes(field: number, value: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([...varint((field << 3) | 2), ...varint(value.length)]), value]);
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(Math.floor(value / 0x80))];
}
