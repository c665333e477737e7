import { buildConnector, Pool, type Dispatcher } from "undici";
import { toError } from "@moco-ts/base";
import type { Authentication, TlsMaterial } from "./authentication.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import { askBeforeSending } from "./guard.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface TransportRequest {
  readonly method: Method;
  /** With query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
  readonly guard?: (() => void) | undefined;
}

export type TransportResponse = Pick<Dispatcher.ResponseData, "statusCode" | "headers" | "body">;

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
  const poolOptions: Pool.Options = {
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
  const streams = new Pool(server.origin, poolOptions);

  const send = async (pool: Pool, request: TransportRequest): Promise<TransportResponse> => {
    const identity = await authentication.headers();
    const dispatcher = request.guard ? pool.compose(askBeforeSending(request.guard)) : pool;
    const response = await dispatcher.request({
      method: request.method,
      path: prefix + request.path,
      headers: { accept: "application/json", "user-agent": options.userAgent, ...identity, ...request.headers },
      body: request.body ?? null,
      signal: request.signal,
    });
    // A body that is given up reports that as an error event, which would end the process if nobody listened.
    response.body.on("error", () => undefined);
    return response;
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

/** Certificates are asked for per connection, so that new connections use rotated ones. */
function createConnector(config: ClusterConfig, authentication: Authentication): buildConnector.connector {
  let latest: { material: TlsMaterial; connector: buildConnector.connector } | undefined;
  const current = async (): Promise<buildConnector.connector> => {
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
  const connect = async (options: buildConnector.Options, callback: buildConnector.Callback): Promise<void> => {
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
