/** For API tests: a client of a real API server, and a namespace that nobody else uses. */
import { onTestFinished } from "vitest";
import { sharedControlPlane } from "@moco-ts/local-kubernetes";
import { connect } from "../rest/connect.ts";
import type { Client } from "../rest/client.ts";
import type { ClusterConfig } from "../rest/cluster-config.ts";
import type { ConnectOptions } from "../rest/connection.ts";
import { loadKubeconfig } from "../rest/kubeconfig.ts";
import { Namespaces } from "../types/generated/index.ts";

/** The configuration of the control plane that all tests of a run share, or of the one given. */
export async function testConfig(controlPlane?: { kubeconfigPath: string }): Promise<ClusterConfig> {
  const { kubeconfigPath } = controlPlane ?? (await sharedControlPlane());
  return loadKubeconfig({ environment: {}, path: kubeconfigPath });
}

/** A client that is closed when the test ends. Without a rate limit unless one is given. */
export async function testClient(
  options: ConnectOptions = {},
  controlPlane?: { kubeconfigPath: string },
): Promise<Client> {
  const client = connect(await testConfig(controlPlane), { qps: Infinity, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** A new namespace, which is deleted when the test ends. */
export async function testNamespace(client: Client): Promise<string> {
  const { metadata } = await client.create(Namespaces, { metadata: { generateName: "test-" } });
  const name = metadata!.name!;
  // Registered after the client's own end, so run before it.
  onTestFinished(async () => {
    await client.delete(Namespaces, { name });
  });
  return name;
}
