import { X509Certificate } from "node:crypto";
import { connect } from "node:tls";
import { expect, onTestFinished, test, vi } from "vitest";
import { Metrics, sleep, systemClock } from "@moco-ts/base";
import { Applier } from "../apply/applier.ts";
import type { Client } from "../rest/client.ts";
import { testClient, testNamespace } from "../testing/cluster.ts";
import { runUntilTestEnds, testInformer } from "../testing/informers.ts";
import {
  ConfigMaps,
  Secrets,
  ValidatingWebhookConfigurations,
  type ConfigMap,
  type ValidatingWebhookConfiguration,
} from "../types/generated/index.ts";
import { allow } from "../webhook/admission.ts";
import { WebhookServer } from "../webhook/server.ts";
import { CaBundles } from "./ca-bundle.ts";
import { isSignedBy, splitBundle } from "./inspect.ts";
import { ManagedCertificate } from "./managed-certificate.ts";

const fieldManager = "webhook-pki";
const second = 1_000;

/** Two replicas that share their keys; the first serves. Certificates live for seconds. */
async function replicas(client: Client, namespace: string) {
  const secrets = await testInformer(client, Secrets, { namespaces: [namespace] });
  const configurations = await testInformer(client, ValidatingWebhookConfigurations, {
    keepManagedFieldsOf: [fieldManager],
  });
  const [certificates] = [1, 2].map(() => {
    const managed = new ManagedCertificate({
      client,
      secrets,
      secret: { namespace, name: "webhook-keys" },
      leaf: { commonName: "webhook", dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"], usages: ["server"] },
      clock: systemClock,
      leafLifetime: 9 * second,
      authorityLifetime: 24 * second,
      overlap: 3 * second,
      isTrusted: (authority) => bundles.isTrusted(authority),
    });
    const bundles = new CaBundles({
      certificates: managed,
      applier: new Applier({ client, fieldManager }),
      informers: [configurations],
      names: [namespace],
      clock: systemClock,
    });
    runUntilTestEnds((signal) => managed.run(signal));
    runUntilTestEnds((signal) => bundles.run(signal));
    return managed;
  });
  const server = new WebhookServer({
    certificates: certificates!,
    clock: systemClock,
    metrics: new Metrics(),
    host: "127.0.0.1",
    port: 0,
  });
  server.validating<ConfigMap>("/validate", () => allow());
  const listening = Promise.withResolvers<number>();
  runUntilTestEnds((signal) => server.run(signal, ({ port }) => listening.resolve(port)));
  return { port: await listening.promise, configurations };
}

function configuration(name: string, port: number): ValidatingWebhookConfiguration {
  const webhook = {
    name: "validate.example.com",
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    failurePolicy: "Fail",
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } },
    rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
    clientConfig: { url: `https://127.0.0.1:${port}/validate` },
  };
  return { metadata: { name }, webhooks: [webhook] };
}

/** The certificate that a new connection is shown, verified with what the API server trusts at this moment. */
function handshake(port: number, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", ca, servername: "localhost" });
    socket.on("secureConnect", () => {
      resolve(new X509Certificate(socket.getPeerCertificate().raw).toString());
      socket.destroy();
    });
    socket.on("error", reject);
  });
}

test("50 requests a second pass while certificates and authorities change, without one failure", async () => {
  const client = await testClient();
  const namespace = await testNamespace(client);
  const { port, configurations } = await replicas(client, namespace);
  await client.create(ValidatingWebhookConfigurations, configuration(namespace, port));
  onTestFinished(async () => {
    await client.delete(ValidatingWebhookConfigurations, { name: namespace });
  });
  const admit = (): Promise<ConfigMap> =>
    client.create(ConfigMaps, { metadata: { generateName: "load-", namespace } }, { dryRun: true });
  const trusted = (): string => {
    const caBundle = configurations.cache.get(namespace)?.webhooks?.[0]?.clientConfig.caBundle ?? "";
    return Buffer.from(caBundle, "base64").toString();
  };
  await vi.waitFor(() => expect(trusted()).not.toBe(""), 10_000);
  await vi.waitFor(admit, 10_000);

  const failures: unknown[] = [];
  const certificates = new Set<string>();
  const authorities = new Set<string>();
  const pending: Promise<void>[] = [];
  let admitted = 0;
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    await work().catch((error: unknown) => failures.push(error));
  };
  const until = systemClock.monotonic() + 26 * second;
  for (let next = systemClock.monotonic(); next < until; next += 100) {
    await sleep(systemClock, next - systemClock.monotonic());
    for (let at = 0; at < 5; at++) {
      const admission = attempt(async () => {
        await admit();
        admitted++;
      });
      pending.push(admission);
    }
    const newConnection = attempt(async () => {
      const ca = trusted();
      const certificate = await handshake(port, ca);
      certificates.add(certificate);
      authorities.add(splitBundle(ca).find((each) => isSignedBy(certificate, each))!);
    });
    pending.push(newConnection);
  }
  await Promise.all(pending);

  expect(failures).toEqual([]);
  expect(admitted).toBeGreaterThanOrEqual(1_300);
  expect(certificates.size).toBeGreaterThanOrEqual(4);
  expect(authorities.size).toBeGreaterThanOrEqual(2);
});
