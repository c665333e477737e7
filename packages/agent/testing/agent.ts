/** For tests: an agent beside a mysqld. */
import { get } from "node:http";
import { onTestFinished } from "vitest";
import { allMysqlUsers } from "@moco-ts/api";
import { createLogger } from "@moco-ts/base";
import type { Mysqld } from "@moco-ts/mysql/testing";
import { runAgent } from "../agent.ts";
import { readConfig } from "../config.ts";
import { makeCertificates, type TestCertificates } from "./certificates.ts";

export interface TestAgent {
  readonly ports: { readonly grpc: number; readonly probes: number; readonly metrics: number };
  readonly certificates: TestCertificates;
  /** Log lines. */
  readonly lines: string[];
  /** What a probe is told. */
  probe(path: "/healthz" | "/readyz"): Promise<{ status: number; text: string }>;
  /** A metric's value; undefined if there is none. */
  metric(name: string): Promise<number | undefined>;
  stop(): Promise<void>;
}

/** Every user's password is its name. */
export const environment = {
  POD_NAME: "moco-test-0",
  CLUSTER_NAME: "test",
  ...Object.fromEntries(allMysqlUsers.map(({ name, secretKey }) => [secretKey, name])),
};

/** Resolves when it listens. Ends with the test. */
export async function startAgent(mysqld: Mysqld, ...flags: string[]): Promise<TestAgent> {
  const certificates = await makeCertificates();
  const lines: string[] = [];
  const addresses = ["address", "probe-address", "metrics-address"].map((name) => `--${name}=127.0.0.1:0`);
  const paths = [`--socket-path=${mysqld.socketPath}`, `--grpc-cert-dir=${certificates.directory}`];
  const config = readConfig([...addresses, ...paths, "--mysqld-localhost", ...flags], environment);
  const listening = Promise.withResolvers<TestAgent["ports"]>();
  const controller = new AbortController();
  const running = runAgent(
    {
      config: { ...config, mysqldHost: "127.0.0.1" },
      logger: createLogger({ destination: { write: (line: string) => void lines.push(line) } }),
      slowLog: mysqld.slowLog,
      mysqldPort: mysqld.adminPort,
      onListening: listening.resolve,
    },
    controller.signal,
  );
  const stop = async (): Promise<void> => {
    controller.abort(new Error("the test is over"));
    await running;
  };
  onTestFinished(stop);
  const ports = await Promise.race([listening.promise, running.then(() => Promise.reject(new Error("it ended")))]);
  return {
    ports,
    certificates,
    lines,
    probe: (path) => fetchOnce(`http://127.0.0.1:${ports.probes}${path}`),
    async metric(name) {
      const { text } = await fetchOnce(`http://127.0.0.1:${ports.metrics}/metrics`);
      const line = text.split("\n").find((each) => each.startsWith(`${name}{`) || each.startsWith(`${name} `));
      return line === undefined ? undefined : Number(line.split(" ").at(-1));
    },
    stop,
  };
}

/** On a connection of its own, as the kubelet does. */
function fetchOnce(url: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () => resolve({ status: response.statusCode!, text }));
    }).on("error", reject);
  });
}
