/** For tests: answers as Prometheus does, with statistics that the test decides on. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { statistics, type Statistic, type VolumeUsage } from "../usage/usage.ts";

export class FakePrometheus {
  /** By `namespace/name` of the claim. */
  readonly volumes = new Map<string, Partial<VolumeUsage>>();
  /** What was asked, with its headers. */
  readonly requests: { readonly url: URL; readonly headers: IncomingMessage["headers"] }[] = [];
  /** Answers instead, if it returns true. */
  instead: (url: URL, response: ServerResponse) => boolean = () => false;
  url = "";

  /** Ends with the test. */
  static async start(): Promise<FakePrometheus> {
    const fake = new FakePrometheus();
    const server = createServer((request, response) => fake.#answer(request, response));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return fake;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "/", "http://fake");
    this.requests.push({ url, headers: request.headers });
    if (this.instead(url, response)) return;
    const query = url.searchParams.get("query");
    const [statistic] = Object.entries(statistics).find(([, name]) => name === query) ?? [];
    const result = [...this.volumes].flatMap(([key, usage]) => seriesOf(key, usage, statistic as Statistic));
    answerJson(response, 200, { status: "success", data: { resultType: "vector", result } });
  }
}

export function answerJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function seriesOf(key: string, usage: Partial<VolumeUsage>, statistic: Statistic): object[] {
  const [namespace, persistentvolumeclaim] = key.split("/");
  const value = usage[statistic];
  if (value === undefined) return [];
  return [{ metric: { namespace, persistentvolumeclaim, node: "node-1" }, value: [Date.now() / 1000, String(value)] }];
}
