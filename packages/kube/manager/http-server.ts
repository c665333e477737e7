import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describeError, type Logger } from "@moco-ts/base";
import type { Address } from "./address.ts";
import type { Component } from "./component.ts";

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly contentType?: string;
}

/** Answers GET requests for a path, and for what lies below it if it ends in a slash. */
export type Routes = Readonly<Record<string, (url: URL) => Promise<Answer>>>;

export interface HttpServerOptions {
  readonly name: string;
  readonly address: Address;
  readonly routes: Routes;
  readonly logger: Logger;
  /** Told the port that is listened on. */
  readonly onListening?: (port: number) => void;
}

/** Milliseconds in which answers under way are finished at the end. */
const closeGrace = 1000;

/** A small server for probes and scrapes. */
export function httpServer(options: HttpServerOptions): Component {
  const { name, address, routes, logger } = options;
  return {
    name,
    run: (signal, ready) =>
      new Promise((resolve, reject) => {
        const server = createServer((request, response) => void answer(routes, request, response, logger));
        const close = (): void => {
          server.close(() => resolve());
          server.closeIdleConnections();
          setTimeout(() => server.closeAllConnections(), closeGrace).unref();
        };
        server.once("error", reject);
        server.listen({ port: address.port, ...(address.host !== undefined && { host: address.host }) }, () => {
          const { port } = server.address() as AddressInfo;
          logger.info("listening", { server: name, port });
          options.onListening?.(port);
          ready();
          if (signal.aborted) close();
          else signal.addEventListener("abort", close, { once: true });
        });
      }),
  };
}

async function answer(
  routes: Routes,
  request: IncomingMessage,
  response: ServerResponse,
  logger: Logger,
): Promise<void> {
  const { status, body, contentType = "text/plain; charset=utf-8" } = await decide(routes, request, logger);
  const headers = { "content-type": contentType, "x-content-type-options": "nosniff", "cache-control": "no-store" };
  response.writeHead(status, headers).end(request.method === "HEAD" ? undefined : body);
}

async function decide(routes: Routes, request: IncomingMessage, logger: Logger): Promise<Answer> {
  if (request.method !== "GET" && request.method !== "HEAD") return { status: 405, body: "method not allowed\n" };
  const url = URL.parse(request.url ?? "/", "http://localhost");
  const path = url?.pathname ?? "";
  const below = Object.keys(routes).find((route) => route.endsWith("/") && path.startsWith(route));
  const route = routes[path] ?? (below === undefined ? undefined : routes[below]);
  if (!url || !route) return { status: 404, body: "not found\n" };
  try {
    return await route(url);
  } catch (error) {
    logger.error("could not answer", { error, path });
    return { status: 500, body: `${describeError(error)}\n` };
  }
}
