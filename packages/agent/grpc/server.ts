/**
 * gRPC over Node's own HTTP/2: a full implementation would cost an agent a tenth of its memory, for one method.
 * Calls come from the controller only, which shows a certificate of our authority in its own name.
 */
import { once } from "node:events";
import {
  createSecureServer,
  type Http2SecureServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { describeError, type Logger, type Metrics } from "@moco-ts/base";
import { parseAddress } from "@moco-ts/kube";
import type { CertificateFiles } from "../certificates/files.ts";
import { frame, Unframer } from "./framing.ts";
import { GrpcError, grpcCodeNames, grpcCodes, type GrpcCode } from "./status.ts";

/** Answers one message. A call may send more than one, which are answered in order. */
export type Method = (request: Uint8Array) => Promise<Uint8Array>;

export interface GrpcServerOptions {
  readonly address: string;
  readonly certificates: CertificateFiles;
  /** The common name that a caller's certificate must have. */
  readonly caller: string;
  /** By path: `/package.Service/Method`. */
  readonly methods: Readonly<Record<string, Method>>;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** Milliseconds for calls under way at the end. A clone may take hours: the instance goes on with it or starts over. */
const closeGrace = 1_000;

const contentType = "application/grpc";

export class GrpcServer {
  readonly #server: Http2SecureServer;
  readonly #options: GrpcServerOptions;
  readonly #sessions = new Set<ServerHttp2Session>();

  constructor(options: GrpcServerOptions) {
    this.#options = options;
    this.#server = createSecureServer({
      ...tlsOptions(options.certificates),
      requestCert: true,
      rejectUnauthorized: true,
      minVersion: "TLSv1.2",
    });
    this.#server.on("session", (session) => {
      this.#sessions.add(session);
      session.once("close", () => this.#sessions.delete(session));
      // A caller that breaks off is none of our business.
      session.on("error", () => undefined);
    });
    this.#server.on("stream", (stream, headers) => void this.#serve(stream, headers));
    this.#server.on("tlsClientError", (error) => {
      options.logger.warn("a caller was turned away", { error: describeError(error) });
    });
  }

  /** Resolves with the port. */
  async listen(): Promise<number> {
    this.#server.listen(parseAddress(this.#options.address));
    await once(this.#server, "listening");
    return (this.#server.address() as AddressInfo).port;
  }

  /** For connections from now on. */
  useCertificates(certificates: CertificateFiles): void {
    this.#server.setSecureContext(tlsOptions(certificates));
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const session of this.#sessions) session.close();
    const timer = setTimeout(() => {
      for (const session of this.#sessions) session.destroy();
    }, closeGrace);
    await closed;
    clearTimeout(timer);
  }

  async #serve(stream: ServerHttp2Stream, headers: Readonly<Record<string, unknown>>): Promise<void> {
    const path = String(headers[":path"]);
    const { methods, metrics } = this.#options;
    const [, service = "", name = ""] = path.split("/");
    const labels = { grpc_type: "unary", grpc_service: service, grpc_method: name };
    const labelNames = ["grpc_type", "grpc_service", "grpc_method"] as const;
    const known = Object.hasOwn(methods, path);
    stream.on("error", () => undefined);
    if (known) metrics.counter("grpc_server_started_total", "Calls that were started", labelNames).inc(labels);
    const code = await this.#answer(stream, headers, known ? methods[path] : undefined);
    if (!known) return;
    metrics
      .counter("grpc_server_handled_total", "Calls that ended", [...labelNames, "grpc_code"])
      .inc({ ...labels, grpc_code: grpcCodeNames[code] });
  }

  async #answer(
    stream: ServerHttp2Stream,
    headers: Readonly<Record<string, unknown>>,
    method: Method | undefined,
  ): Promise<GrpcCode> {
    if (headers[":method"] !== "POST" || !String(headers["content-type"]).startsWith(contentType)) {
      stream.respond({ ":status": 415 }, { endStream: true });
      return grpcCodes.invalidArgument;
    }
    try {
      this.#authorize(stream);
      if (method === undefined)
        throw new GrpcError(grpcCodes.unimplemented, `unknown method ${String(headers[":path"])}`);
      const unframer = new Unframer();
      // A failure must not end the stream, or its status would not arrive.
      for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        for (const message of unframer.add(chunk)) {
          const answer = await method(message);
          if (stream.destroyed) return grpcCodes.ok;
          if (!stream.headersSent) stream.respond(responseHeaders, { waitForTrailers: true });
          stream.write(frame(answer));
        }
      }
      if (!stream.headersSent) throw new GrpcError(grpcCodes.invalidArgument, "the call has no message");
      finish(stream, grpcCodes.ok, "");
      return grpcCodes.ok;
    } catch (error) {
      const code = error instanceof GrpcError ? error.code : grpcCodes.unknown;
      finish(stream, code, describeError(error));
      return code;
    }
  }

  #authorize(stream: ServerHttp2Stream): void {
    const name = (stream.session?.socket as TLSSocket | undefined)?.getPeerCertificate().subject?.CN;
    if (name === this.#options.caller) return;
    throw new GrpcError(
      grpcCodes.unauthenticated,
      `invalid certificate: common name is not valid: ${typeof name === "string" ? name : ""}`,
    );
  }
}

const responseHeaders = { ":status": 200, "content-type": contentType };

/** Ends a call with its status: after the answers, or instead of them. */
function finish(stream: ServerHttp2Stream, code: GrpcCode, message: string): void {
  if (stream.destroyed) return;
  const status = {
    "grpc-status": String(code),
    ...(message !== "" && { "grpc-message": encodeURI(message) }),
  };
  if (!stream.headersSent) {
    stream.respond({ ...responseHeaders, ...status }, { endStream: true });
    return;
  }
  stream.once("wantTrailers", () => stream.sendTrailers(status));
  stream.end();
}

function tlsOptions({ authority, certificate, privateKey }: CertificateFiles) {
  return { ca: authority, cert: certificate, key: privateKey };
}
