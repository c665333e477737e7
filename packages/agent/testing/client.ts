/** For tests: calls an agent as the controller does, by an implementation of gRPC and of its messages that is not ours. */
import { join } from "node:path";
import { credentials, loadPackageDefinition, type ServiceError } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { onTestFinished } from "vitest";
import type { KeyPair } from "@moco-ts/kube";
import { podHost, type TestCertificates } from "./certificates.ts";

interface AgentClient {
  Clone(request: object, callback: (error: ServiceError | null) => void): void;
  close(): void;
}

type AgentConstructor = new (address: string, secrets: object, options: object) => AgentClient;

export type Call = (request: object) => Promise<{ code: number; details: string } | undefined>;

/** Calls Clone with a client's certificate; the status of a failed call is its result. */
export async function agentClient(port: number, certificates: TestCertificates, client?: KeyPair): Promise<Call> {
  const pair = client ?? (await certificates.issueClient("moco-controller"));
  const definition = loadPackageDefinition(loadSync(join(import.meta.dirname, "agentrpc.proto"), { keepCase: true }));
  const { Agent } = definition["moco"] as unknown as { Agent: AgentConstructor };
  const secrets = credentials.createSsl(
    Buffer.from(certificates.authority),
    Buffer.from(pair.privateKey),
    Buffer.from(pair.certificate),
  );
  const agent = new Agent(`127.0.0.1:${port}`, secrets, {
    // The controller dials the Pod's address, and checks its name.
    "grpc.ssl_target_name_override": podHost,
    "grpc.default_authority": podHost,
  });
  onTestFinished(() => agent.close());
  return (request) =>
    new Promise((resolve) => {
      agent.Clone(request, (error) => resolve(error ? { code: error.code, details: error.details } : undefined));
    });
}
