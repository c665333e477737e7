/**
 * webhook: the HTTPS server that the API server asks before it stores an object.
 *
 * Handlers see a typed request and say yes, no, or how the object shall be; the server does the rest: TLS with
 * certificates that change while it runs, limits on size and time, answers in the API server's own form, metrics,
 * and an end that lets requests under way finish.
 */
import { createServer, type Server } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  DeadlineError,
  describeError,
  parseDuration,
  silentLogger,
  withDeadline,
  type Clock,
  type Logger,
  type Metrics,
} from "@moco-ts/base";
import type { CertificateSource, KeyPair } from "../pki/source.ts";
import type { KubeObject } from "../types/object.ts";
import { failed, type AdmissionResponse } from "./admission.ts";
import { parseReview, readBody, RequestError } from "./body.ts";
import { Connections } from "./connections.ts";
import {
  mutating,
  respond,
  validating,
  type Handler,
  type MutatingHandler,
  type ValidatingHandler,
} from "./handler.ts";
import { webhookMetrics } from "./metrics.ts";

export interface WebhookServerOptions {
  readonly certificates: CertificateSource;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly logger?: Logger;
  /** Default: all addresses. */
  readonly host?: string;
  /** Default 9443; 0 takes a free one. */
  readonly port?: number;
  /** Largest body in bytes. Default 7 MiB: an old and a new object of the largest size that etcd stores. */
  readonly maximumBody?: number;
  /**
   * Milliseconds for one request. Default 9,000, below the 10 s that an API server waits by default. If the API server
   * says that it waits less long, the deadline is nine tenths of that.
   */
  readonly deadline?: number;
  /** Milliseconds that requests under way get when the server stops. Default 10,000. */
  readonly shutdownTimeout?: number;
}

export class WebhookServer {
  readonly #options: WebhookServerOptions;
  readonly #logger: Logger;
  readonly #metrics: ReturnType<typeof webhookMetrics>;
  readonly #handlers = new Map<string, Handler>();
  #stopping = false;

  constructor(options: WebhookServerOptions) {
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
    this.#metrics = webhookMetrics(options.metrics);
  }

  /** Registers what decides about requests to `path`, as a ValidatingWebhookConfiguration names it. */
  validating<T extends KubeObject>(path: string, handler: ValidatingHandler<T>): void {
    this.#handlers.set(path, validating(handler));
  }

  /** Registers what changes objects on their way through `path`, as a MutatingWebhookConfiguration names it. */
  mutating<T extends KubeObject>(path: string, handler: MutatingHandler<T>): void {
    this.#handlers.set(path, mutating(handler));
  }

  /**
   * Serves until the signal is aborted, then until the requests under way are answered. Rejects if it can't listen.
   * `onListening` is told the address once requests are taken.
   */
  async run(signal: AbortSignal, onListening: (address: AddressInfo) => void = () => undefined): Promise<void> {
    const { certificates, host, port = 9443 } = this.#options;
    const options = { ...tlsOptions(await certificates.ready(signal)), handshakeTimeout: 5_000 };
    const server = createServer(options, (request, response) => {
      connections.waits(request.socket, response);
      void this.#serve(request, response);
    });
    const connections = new Connections(server);
    // Longer than API servers keep an idle connection: then it is never us who close one that is about to be used.
    server.keepAliveTimeout = 120_000;
    server.headersTimeout = 10_000;
    server.requestTimeout = 30_000;
    server.on("tlsClientError", (error) => this.#logger.debug("a TLS handshake failed", { error }));
    const unsubscribe = certificates.subscribe((pair) => server.setSecureContext(tlsOptions(pair)));
    try {
      await listen(server, port, host, signal);
      onListening(server.address() as AddressInfo);
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        else signal.addEventListener("abort", () => resolve(), { once: true });
      });
      await this.#stop(server, connections);
    } finally {
      unsubscribe();
      server.close();
    }
  }

  async #stop(server: Server, connections: Connections): Promise<void> {
    const { clock, shutdownTimeout = 10_000 } = this.#options;
    this.#stopping = true;
    const cancel = clock.schedule(shutdownTimeout, () => {
      this.#logger.warn("webhook requests were cut off at shutdown", { afterMilliseconds: shutdownTimeout });
      connections.closeAll();
    });
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      connections.closeIdle();
    });
    cancel();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "https://webhook");
    // A client that went away gets no answer; that is its own decision.
    response.on("error", () => undefined);
    if (url.pathname === "/healthz" || url.pathname === "/readyz") return this.#reply(response, 200, "ok");
    const handler = this.#handlers.get(url.pathname);
    if (handler === undefined) return this.#reply(response, 404, "no webhook has this path");

    const { clock } = this.#options;
    const labels = { webhook: url.pathname };
    const startedAt = clock.monotonic();
    this.#metrics.inFlight.inc(labels);
    try {
      const answer = await this.#admit(request, url, handler);
      const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response: answer };
      this.#reply(response, 200, JSON.stringify(review), "application/json");
    } catch (error) {
      const status = error instanceof RequestError ? error.status : error instanceof DeadlineError ? 408 : 500;
      this.#logger.warn("refused a webhook request", { path: url.pathname, status, error });
      this.#reply(response, status, describeError(error));
    } finally {
      this.#metrics.inFlight.dec(labels);
      this.#metrics.latency.observe(labels, (clock.monotonic() - startedAt) / 1000);
      this.#metrics.requests.inc({ ...labels, code: String(response.statusCode) });
    }
  }

  #reply(response: ServerResponse, status: number, body: string, contentType = "text/plain"): void {
    if (this.#stopping) response.setHeader("connection", "close");
    response.writeHead(status, { "content-type": contentType, "content-length": Buffer.byteLength(body) });
    response.end(body);
  }

  async #admit(request: IncomingMessage, url: URL, handler: Handler): Promise<AdmissionResponse> {
    if (request.method !== "POST") throw new RequestError(405, "only POST is served here");
    if (!/^application\/json\b/i.test(request.headers["content-type"] ?? "")) {
      throw new RequestError(415, "only application/json is served here");
    }
    const { clock, maximumBody = 7 * 1024 * 1024 } = this.#options;
    const what = `the webhook ${url.pathname}`;
    const milliseconds = this.#deadline(url);
    const startedAt = clock.monotonic();
    const body = await withDeadline({ what, milliseconds, clock }, (signal) => readBody(request, maximumBody, signal));
    const review = parseReview(body);
    try {
      const left = milliseconds - (clock.monotonic() - startedAt);
      return await withDeadline({ what, milliseconds: left, clock }, (signal) => handler(review, signal));
    } catch (error) {
      this.#logger.error("a webhook failed", {
        path: url.pathname,
        name: review.name,
        namespace: review.namespace,
        error,
      });
      return respond(review, failed(error instanceof DeadlineError ? 504 : 500, describeError(error)));
    }
  }

  /** API servers tell how long they wait: `?timeout=10s`. */
  #deadline(url: URL): number {
    const { deadline = 9_000 } = this.#options;
    try {
      return Math.min(deadline, 0.9 * parseDuration(url.searchParams.get("timeout") ?? "10s"));
    } catch {
      // Whoever wrote that is not an API server: our own deadline holds.
      return deadline;
    }
  }
}

function tlsOptions({ certificate, privateKey }: KeyPair) {
  return { cert: certificate, key: privateKey, minVersion: "TLSv1.2" as const };
}

function listen(server: Server, port: number, host: string | undefined, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    server.once("error", reject);
    server.listen({ port, host }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
