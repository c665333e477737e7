import { silentLogger, systemClock, type Clock, type Logger, type Metrics } from "@moco-ts/base";
import { createAuthentication, type Authentication } from "./authentication.ts";
import type { ClusterConfig } from "./cluster-config.ts";
import { createExchange, type Exchange } from "./exchange.ts";
import { RateLimiter } from "./rate-limit.ts";
import { createTransport, type Transport } from "./transport.ts";

export interface ConnectOptions {
  /** Names the program in the API server's logs. Default "moco-ts". */
  readonly userAgent?: string;
  /** Requests per second in the long run; Infinity for no limit. Default 50. */
  readonly qps?: number;
  /** Requests at once after a quiet time. Default 100. */
  readonly burst?: number;
  /** Requests under way at the same time; watches don't count. Default 32. */
  readonly concurrency?: number;
  /** Milliseconds for a request that doesn't say otherwise. Default 30,000. */
  readonly timeout?: number;
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** Default: nothing is measured. */
  readonly metrics?: Metrics;
}

export interface Connection {
  readonly exchange: Exchange;
  readonly transport: Transport;
  readonly authentication: Authentication;
  readonly clock: Clock;
  readonly userAgent: string;
  /** Milliseconds until an answer must have begun. */
  readonly timeout: number;
}

/** Everything below the typed client. */
export function createConnection(config: ClusterConfig, options: ConnectOptions): Connection {
  const { clock = systemClock, logger = silentLogger, userAgent = "moco-ts", timeout = 30_000 } = options;
  const { qps = 50, burst = 100 } = options;
  const authentication = createAuthentication(config, clock);
  const transport = createTransport(config, authentication, {
    userAgent,
    concurrency: options.concurrency ?? 32,
  });
  const exchange = createExchange({
    transport,
    authentication,
    limiter: Number.isFinite(qps) ? new RateLimiter({ qps, burst, clock }) : undefined,
    timeout,
    clock,
    logger,
    metrics: options.metrics,
  });
  return { exchange, transport, authentication, clock, userAgent, timeout };
}
