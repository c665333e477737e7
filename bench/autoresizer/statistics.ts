/** Statistics of volumes, as kubelets and Prometheus serve them. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { createAuthority, issueLeaf } from "@moco-ts/kube";

export interface Volume {
  readonly namespace: string;
  readonly name: string;
}

const values: Readonly<Record<string, number>> = {
  kubelet_volume_stats_available_bytes: 5_368_709_120,
  kubelet_volume_stats_capacity_bytes: 10_737_418_240,
  kubelet_volume_stats_inodes: 655_360,
  kubelet_volume_stats_inodes_free: 655_349,
  kubelet_volume_stats_inodes_used: 11,
  kubelet_volume_stats_used_bytes: 5_368_709_120,
};

/** The rest of a kubelet's metrics: about 100 kB. */
const others = Array.from(
  { length: 900 },
  (_, index) =>
    `storage_operation_duration_seconds_bucket{migrated="false",operation_name="mount_${index}",le="0.1"} 3\n`,
).join("");

/** Kubelets that serve nothing but metrics, each on a port of its own. The volumes are spread over them. */
export class Kubelets {
  readonly authority: string;
  /** Where API servers reach them: they refuse to call the loopback address. */
  readonly address: string;
  readonly ports: readonly number[];
  readonly #servers: readonly Server[];
  readonly #texts: string[];

  private constructor(authority: string, address: string, servers: readonly Server[], texts: string[]) {
    this.authority = authority;
    this.address = address;
    this.#servers = servers;
    this.#texts = texts;
    this.ports = servers.map((server) => (server.address() as AddressInfo).port);
  }

  static async start(count: number): Promise<Kubelets> {
    const address = ownAddress();
    const validity = { now: Date.now(), lifetime: 24 * 3_600_000 };
    const authority = await createAuthority("bench", validity);
    const subject = { commonName: "kubelet", ipAddresses: [address], usages: ["server"] } as const;
    const { certificate: cert, privateKey: key } = await issueLeaf(authority, subject, validity);
    const texts = Array.from({ length: count }, () => others);
    const servers = texts.map((_, index) =>
      createTlsServer({ cert, key }, (_request, response) => void response.end(texts[index])).listen(0, address),
    );
    await Promise.all(servers.map((server) => once(server, "listening")));
    return new Kubelets(authority.certificate, address, servers, texts);
  }

  serve(volumes: readonly Volume[]): void {
    const count = this.#texts.length;
    for (let node = 0; node < count; node++) {
      const own = volumes.filter((_, index) => index % count === node);
      const lines = Object.entries(values).flatMap(([metric, value]) =>
        own.map(
          ({ namespace, name }) => `${metric}{namespace="${namespace}",persistentvolumeclaim="${name}"} ${value}\n`,
        ),
      );
      this.#texts[node] = others + lines.join("");
    }
  }

  stop(): void {
    for (const server of this.#servers) stop(server);
  }
}

/** Answers queries with as many labels as the usual installations have. */
export class PrometheusAnswers {
  url = "";
  readonly #server: Server;
  readonly #answers = new Map<string, string>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<PrometheusAnswers> {
    const server = createServer((request, response) => {
      const query = new URL(request.url ?? "/", "http://prometheus").searchParams.get("query") ?? "";
      response.writeHead(200, { "content-type": "application/json" }).end(prometheus.#answers.get(query) ?? empty);
    }).listen(0, "127.0.0.1");
    const prometheus = new PrometheusAnswers(server);
    await once(server, "listening");
    prometheus.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return prometheus;
  }

  serve(volumes: readonly Volume[]): void {
    for (const [metric, value] of Object.entries(values)) {
      const result = volumes.map(({ namespace, name }, index) => ({
        metric: {
          __name__: metric,
          endpoint: "https-metrics",
          instance: `10.0.0.${index % 200}:10250`,
          job: "kubelet",
          metrics_path: "/metrics",
          namespace,
          node: `node-${index % 200}`,
          persistentvolumeclaim: name,
          service: "prometheus-kube-prometheus-kubelet",
        },
        value: [1_767_225_600.123, String(value)],
      }));
      this.#answers.set(metric, answerOf(result));
    }
  }

  stop(): void {
    stop(this.#server);
  }
}

function answerOf(result: readonly object[]): string {
  return JSON.stringify({ status: "success", data: { resultType: "vector", result } });
}

const empty = answerOf([]);

function stop(server: Server): void {
  server.close();
  server.closeAllConnections();
}

function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const found = all.find(({ internal, family }) => !internal && family === "IPv4");
  if (found === undefined)
    throw new Error("the machine has no address but the loopback one, which API servers don't call");
  return found.address;
}
