import { randomInt } from "node:crypto";
import { BackupPolicies, MySQLClusters } from "@moco-ts/api";
import { installDefinitions, testClient, testCluster, testNamespace, testPolicy } from "@moco-ts/api/testing";
import { Metrics, systemClock } from "@moco-ts/base";
import {
  createInformer,
  ManagedCertificate,
  MutatingWebhookConfigurations,
  Secrets,
  StorageClasses,
  ValidatingWebhookConfigurations,
  WebhookServer,
  type Client,
} from "@moco-ts/kube";
import { expect, onTestFinished } from "vitest";
import { mutatingConfiguration, registerAdmission, validatingConfiguration } from "../admission/webhooks.ts";

/** A namespace for which a real API server asks a real webhook server on the loopback address. */
export async function testAdmission() {
  const client = await testClient();
  await installDefinitions(client);
  const namespace = await testNamespace(client);
  return { client, namespace, start: () => startAdmission(client, namespace) };
}

async function startAdmission(client: Client, namespace: string): Promise<void> {
  const controller = new AbortController();
  onTestFinished(() => controller.abort(new Error("the test is over")));
  const { signal } = controller;
  const secrets = createInformer(client, Secrets, { namespaces: [namespace] });
  const certificates = new ManagedCertificate({
    client,
    secrets,
    secret: { namespace, name: "webhook-keys" },
    leaf: { commonName: "webhook", ipAddresses: ["127.0.0.1"], usages: ["server"] },
    clock: systemClock,
  });
  void secrets.run(signal);
  void certificates.run(signal);
  const server = new WebhookServer({
    certificates,
    clock: systemClock,
    metrics: new Metrics(),
    host: "127.0.0.1",
    port: 0,
  });
  registerAdmission(server, {
    readStorageClasses: async (signal) => (await client.list(StorageClasses, { signal })).items,
    readClusters: async (namespace, signal) => (await client.list(MySQLClusters, { namespace, signal })).items,
    randomInteger: randomInt,
  });
  const listening = Promise.withResolvers<number>();
  server.run(signal, ({ port }) => listening.resolve(port)).catch(listening.reject);
  const port = await listening.promise;
  const { authorities } = await certificates.ready(signal);
  await configure(client, namespace, port, Buffer.from(authorities).toString("base64"));
}

/** As the chart does it, but for one namespace only, since other tests use the same API server. */
async function configure(client: Client, namespace: string, port: number, caBundle: string): Promise<void> {
  const clientConfigOf = (path: string) => ({ url: `https://127.0.0.1:${port}${path}`, caBundle });
  const metadata = { name: namespace };
  const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": namespace } };
  const mutating = mutatingConfiguration(clientConfigOf).webhooks!.map((each) => ({ ...each, namespaceSelector }));
  const validating = validatingConfiguration(clientConfigOf).webhooks!.map((each) => ({ ...each, namespaceSelector }));
  await client.create(MutatingWebhookConfigurations, { metadata, webhooks: mutating });
  await client.create(ValidatingWebhookConfigurations, { metadata, webhooks: validating });
  onTestFinished(async () => {
    await client.delete(MutatingWebhookConfigurations, metadata);
    await client.delete(ValidatingWebhookConfigurations, metadata);
  });
  await expect.poll(() => isAsked(client, namespace), { timeout: 30_000, interval: 100 }).toBe(true);
}

/** The API server takes a moment to hear of webhooks: they are at work once they refuse what the schema takes. */
async function isAsked(client: Client, namespace: string): Promise<boolean> {
  const metadata = { name: "probe", namespace };
  const probes = [
    client.create(MySQLClusters, testCluster({ replicas: 2, serverIDBase: 0 }, metadata), { dryRun: true }),
    client.create(BackupPolicies, testPolicy({ schedule: "never" }, metadata), { dryRun: true }),
  ];
  const results = await Promise.allSettled(probes);
  // Without the mutating one there would be a second problem: serverIDBase.
  return results.every((each) => each.status === "rejected" && !String(each.reason).includes("serverIDBase"));
}
