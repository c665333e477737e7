import { toError } from "@moco-ts/base";
import type { buildConnector as connectorTypes, Pool as PoolTypes } from "undici";
// By their own paths: the whole of undici costs 12 MB and a tenth of a second more, for fetch, WebSocket and caches that
// are not used here.
import buildConnector from "undici/lib/core/connect.js";
import Pool from "undici/lib/dispatcher/pool.js";
import type { Authentication, TlsMaterial } from "./authentication.ts";
import { Body } from "./body.ts";
import type { ClusterConfig } from "./cluster-config.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface TransportRequest {
  readonly method: Method;
  /** With query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  /** Ends the request, and the answer's body while it is being read. */
  readonly signal: AbortSignal;
  /** Asked when the connection is about to be written to: a request may have waited long by then. */
  readonly guard?: (() => void) | undefined;
}

export interface TransportResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Body;
}

/** Bytes to the API server and back: connections, TLS and authentication. Rejects with whatever went wrong below. */
export interface Transport {
  readonly host: string;
  /** An answer that is read at once; shares one of `concurrency` connections. */
  request(request: TransportRequest): Promise<TransportResponse>;
  /** An answer that lasts, on a connection of its own, so that watches never keep requests waiting. */
  stream(request: TransportRequest): Promise<TransportResponse>;
  close(): Promise<void>;
}

/** The API server closes idle connections after 90 seconds: ours go first, so that no request meets a closing one. */
const keepAliveTimeout = 60_000;
const connectTimeout = 10_000;
/** The kernel probes a quiet connection after this time, and then every second: a vanished peer is noticed in 25 s. */
const keepAliveProbeDelay = 15_000;

export function createTransport(
  config: ClusterConfig,
  authentication: Authentication,
  options: { userAgent: string; concurrency: number },
): Transport {
  const server = new URL(config.server);
  const prefix = server.pathname.replace(/\/+$/, "");
  const poolOptions: PoolTypes.Options = {
    connect: createConnector(config, authentication),
    // HTTP/1.1 on purpose: a watch on a connection of its own can't block others, a connection that dies takes one
    // watch with it and not all of them, and cutting one is how a hung request is given up. Multiplexing saves only
    // some sockets, of which an operator has a dozen.
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout,
    // Deadlines are ours: they cover the whole exchange and come from the caller.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const requests = new Pool(server.origin, { ...poolOptions, connections: options.concurrency });
  // A connection that is kept after a stream saves nothing, and may have died in the fault that the next one is for.
  const streams = new Pool(server.origin, { ...poolOptions, keepAliveTimeout: 500 });

  const send = async (pool: PoolTypes, request: TransportRequest): Promise<TransportResponse> => {
    const identity = await authentication.headers();
    const headers = { accept: "application/json", "user-agent": options.userAgent, ...identity, ...request.headers };
    return dispatch(pool, { ...request, path: prefix + request.path }, headers);
  };

  return {
    host: server.host,
    request: (request) => send(requests, request),
    stream: (request) => send(streams, request),
    async close() {
      await Promise.all([requests.destroy(), streams.destroy()]);
    },
  };
}

/** Resolves when the answer begins. */
function dispatch(
  pool: PoolTypes,
  request: TransportRequest,
  headers: Record<string, string | string[]>,
): Promise<TransportResponse> {
  const { method, path, signal, guard } = request;
  const { promise, resolve, reject } = Promise.withResolvers<TransportResponse>();
  let body: Body | undefined;
  let cancel = reject;
  const onAbort = (): void => cancel(toError(signal.reason));
  const finish = (error?: Error): void => {
    signal.removeEventListener("abort", onAbort);
    body?.finish(error);
    if (!body) reject(error);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  pool.dispatch(
    { method, path, headers, body: request.body ?? null },
    {
      onRequestStart(controller) {
        cancel = (reason) => controller.abort(reason);
        try {
          signal.throwIfAborted();
          guard?.();
        } catch (error) {
          controller.abort(toError(error));
        }
      },
      onResponseStart(controller, statusCode, headers) {
        if (statusCode < 200) return;
        body = new Body(controller);
        resolve({ statusCode, headers, body });
      },
      onResponseData: (_controller, chunk) => body?.push(chunk),
      onResponseEnd: () => finish(),
      onResponseError: (_controller, error) => finish(error),
    },
  );
  return promise;
}

/** Certificates are asked for per connection, so that new connections use rotated ones. */
function createConnector(config: ClusterConfig, authentication: Authentication): connectorTypes.connector {
  let latest: { material: TlsMaterial; connector: connectorTypes.connector } | undefined;
  const current = async (): Promise<connectorTypes.connector> => {
    const material = await authentication.tls();
    if (latest?.material !== material) {
      const connector = buildConnector({
        ...material,
        ...(config.tlsServerName && { servername: config.tlsServerName }),
        rejectUnauthorized: !config.insecureSkipTlsVerify,
        allowH2: false,
        timeout: connectTimeout,
        keepAliveInitialDelay: keepAliveProbeDelay,
      });
      latest = { material, connector };
    }
    return latest.connector;
  };
  const connect = async (options: connectorTypes.Options, callback: connectorTypes.Callback): Promise<void> => {
    let connector;
    try {
      connector = await current();
    } catch (error) {
      return callback(toError(error), null);
    }
    connector(options, callback);
  };
  return (options, callback) => void connect(options, callback);
}
