import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describeError, type Logger } from "@moco-ts/base";
import { parseAddress } from "@moco-ts/kube";

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
  readonly contentType?: string;
}

/** Answers GET requests by path. The signal is aborted when who asked has gone. */
export type Routes = Readonly<Record<string, (signal: AbortSignal) => Promise<HttpAnswer>>>;

export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves until it is closed. An empty address serves nothing. */
export async function serveHttp(address: string, routes: Routes, logger: Logger): Promise<Listening> {
  const where = parseAddress(address);
  if (where === undefined) return { port: 0, close: () => Promise.resolve() };
  const server = createServer((request, response) => void answer(routes, request, response, logger));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(where, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // Probes and scrapes are asked again anyway.
        server.closeAllConnections();
      }),
  };
}

async function answer(
  routes: Routes,
  request: IncomingMessage,
  response: ServerResponse,
  logger: Logger,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort(new Error("who asked has gone")));
  const {
    status,
    text,
    contentType = "text/plain; charset=utf-8",
  } = await decide(routes, request, gone.signal, logger);
  if (!response.destroyed) response.writeHead(status, { "content-type": contentType }).end(text);
}

async function decide(
  routes: Routes,
  request: IncomingMessage,
  signal: AbortSignal,
  logger: Logger,
): Promise<HttpAnswer> {
  if (request.method !== "GET") return { status: 405, text: "method not allowed" };
  const route = routes[request.url?.split("?")[0] ?? ""];
  if (route === undefined) return { status: 404, text: "not found" };
  try {
    return await route(signal);
  } catch (error) {
    logger.error("could not answer", { error, path: request.url });
    return { status: 500, text: describeError(error) };
  }
}
