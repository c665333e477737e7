import { request, Agent, type RequestOptions } from "node:https";
import { onTestFinished } from "vitest";
import { createLogger, Metrics, systemClock } from "@moco-ts/base";
import { createAuthority, issueLeaf } from "../pki/issue.ts";
import { CurrentCertificate, type Certificate } from "../pki/source.ts";
import { WebhookServer, type WebhookServerOptions } from "../webhook/server.ts";

const day = 24 * 3_600_000;

/** A certificate for the loopback address. */
export async function loopbackCertificate(): Promise<Certificate> {
  const validity = { now: Date.now(), lifetime: day };
  const authority = await createAuthority("test-ca", validity);
  const leaf = await issueLeaf(
    authority,
    { commonName: "test", dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"], usages: ["server"] },
    validity,
  );
  return { ...leaf, authorities: authority.certificate };
}

/** A server on the loopback address that ends with the test. `start` is called once handlers are registered. */
export async function testWebhooks(options: Partial<WebhookServerOptions> = {}) {
  const current = new CurrentCertificate();
  const certificate = await loopbackCertificate();
  current.set(certificate);
  const lines: string[] = [];
  const metrics = new Metrics();
  const server = new WebhookServer({
    certificates: current,
    clock: systemClock,
    metrics,
    logger: createLogger({ destination: { write: (line: string) => void lines.push(line) } }),
    host: "127.0.0.1",
    port: 0,
    ...options,
  });
  const controller = new AbortController();
  const stop = (): void => controller.abort(new Error("the test is over"));
  onTestFinished(stop);
  const start = async (): Promise<{ port: number; stopped: Promise<void> }> => {
    const listening = Promise.withResolvers<number>();
    const stopped = server.run(controller.signal, ({ port }) => listening.resolve(port));
    stopped.catch(listening.reject);
    return { port: await listening.promise, stopped };
  };
  return { server, start, stop, metrics, lines, current, certificate };
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** One request, with a connection of its own unless an agent is given. */
export function send(options: RequestOptions, ...body: (string | Buffer)[]): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", agent: new Agent(), ...options }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers, body: Buffer.concat(chunks).toString() });
      });
    });
    sent.on("error", reject);
    for (const part of body) sent.write(part);
    sent.end();
  });
}

/** An AdmissionReview as an API server sends it. */
export function reviewOf(request: object): string {
  return JSON.stringify({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: { uid: "u-1", operation: "CREATE", oldObject: null, ...request },
  });
}
