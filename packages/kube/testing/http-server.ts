/** For tests: a server that misbehaves in ways that the real one can't be made to. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { connect } from "../rest/connect.ts";
import type { Client } from "../rest/client.ts";
import type { ClusterConfig } from "../rest/cluster-config.ts";
import type { ConnectOptions } from "../rest/connection.ts";

export interface TestServer {
  readonly config: ClusterConfig;
  /** `GET /path?query` of every request, in order. */
  readonly requests: string[];
  /** A client of this server, closed with the test. */
  client(options?: ConnectOptions): Client;
}

export type Answerer = (request: IncomingMessage, response: ServerResponse, count: number) => void;

/** Answers by `answer`, which is told how many requests came before. Ends with the test. */
export async function startHttpServer(answer: Answerer): Promise<TestServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    answer(request, response, requests.length - 1);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const config: ClusterConfig = { server: `http://127.0.0.1:${port}`, credentials: {}, namespace: "default" };
  return {
    config,
    requests,
    client(options = {}) {
      const client = connect(config, { qps: Infinity, ...options });
      onTestFinished(() => client.close());
      return client;
    },
  };
}

export function answerJson(
  response: ServerResponse,
  body: unknown,
  options: { status?: number; headers?: Record<string, string> } = {},
): void {
  response.writeHead(options.status ?? 200, { "content-type": "application/json", ...options.headers });
  response.end(JSON.stringify(body));
}

/** The API server's way to say no. */
export function answerStatus(
  response: ServerResponse,
  code: number,
  reason: string,
  headers: Record<string, string> = {},
): void {
  answerJson(
    response,
    { kind: "Status", code, reason, message: `the server says ${reason}` },
    { status: code, headers },
  );
}
