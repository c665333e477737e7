/** For tests: an API server that knows nothing but the statistics of nodes. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Metrics, systemClock, type Clock } from "@moco-ts/base";
import { connect, type Client } from "@moco-ts/kube";
import { onTestFinished } from "vitest";

export interface FakeKubelets {
  readonly client: Client;
  readonly nodes: () => string[];
  /** The largest number of requests that were under way at the same time. */
  readonly busiest: () => number;
  /** How many answers with this status the client has got. */
  readonly got: (status: number) => Promise<number>;
}

/** By node: a text to answer with, or how to answer otherwise. Ends with the test. */
export async function startKubelets(
  answers: Readonly<Record<string, string | ((response: ServerResponse) => void)>>,
  clock: Clock = systemClock,
): Promise<FakeKubelets> {
  let underWay = 0;
  let busiest = 0;
  const server = createServer((request, response) => {
    busiest = Math.max(busiest, ++underWay);
    response.on("close", () => underWay--);
    const node = /^\/api\/v1\/nodes\/([^/]+)\/proxy\/metrics$/.exec(request.url ?? "")?.[1] ?? "";
    const answer = answers[decodeURIComponent(node)];
    if (typeof answer === "function") answer(response);
    else if (answer === undefined) response.writeHead(404).end(`no node ${node}`);
    else setTimeout(() => response.writeHead(200).end(answer), 5);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const config = { server: `http://127.0.0.1:${port}`, credentials: {}, namespace: "default" };
  const metrics = new Metrics();
  const client = connect(config, { qps: Infinity, clock, metrics });
  onTestFinished(async () => {
    await client.close();
    server.close();
    server.closeAllConnections();
  });
  const got = async (status: number): Promise<number> => {
    const line = new RegExp(`^rest_client_requests_total\\{code="${status}".*\\} (\\d+)$`, "m");
    return Number(line.exec(await metrics.text())?.[1] ?? 0);
  };
  return { client, nodes: () => Object.keys(answers), busiest: () => busiest, got };
}

/** What a kubelet tells of one volume. */
export function statisticsOf(key: string, capacity: number, available: number): string {
  const [namespace, claim] = key.split("/");
  const labels = `{namespace="${namespace}",persistentvolumeclaim="${claim}"}`;
  return [
    `kubelet_volume_stats_capacity_bytes${labels} ${capacity}`,
    `kubelet_volume_stats_available_bytes${labels} ${available}`,
    `kubelet_volume_stats_inodes${labels} 1000`,
    `kubelet_volume_stats_inodes_free${labels} 900\n`,
  ].join("\n");
}
