import { X509Certificate } from "node:crypto";
import { connect } from "node:tls";
import { expect, onTestFinished, test, vi } from "vitest";
import { describeError, Metrics, SimulatedClock, sleep, systemClock, type Clock } from "@moco-ts/base";
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

/** Trust takes its time to spread: there may be several API servers. */
function slowly(client: Client, clock: Clock): Client {
  const apply: Client["apply"] = async (...parameters) => {
    await sleep(clock, 8 * second);
    return client.apply(...parameters);
  };
  return { ...client, apply };
}

/** Two replicas that share their keys; the first serves. */
async function replicas(client: Client, namespace: string, clock: Clock) {
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
      clock,
      leafLifetime: 72 * second,
      authorityLifetime: 210 * second,
      overlap: 24 * second,
      isTrusted: (authority) => bundles.isTrusted(authority),
    });
    const bundles = new CaBundles({
      certificates: managed,
      applier: new Applier({ client: slowly(client, clock), fieldManager }),
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

test("requests pass while certificates and authorities change, without one failure", { timeout: 300_000 }, async () => {
  const client = await testClient();
  const namespace = await testNamespace(client);
  const clock = new SimulatedClock(systemClock.now());
  const { port, configurations } = await replicas(client, namespace, clock);
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
  const isTrusted = async (): Promise<void> => {
    await clock.advance(second);
    expect(trusted()).not.toBe("");
  };
  await vi.waitFor(isTrusted, 60_000);
  await vi.waitFor(admit, 60_000);

  const failures: string[] = [];
  const certificates = new Set<string>();
  const authorities = new Set<string>();
  const connectAnew = async (): Promise<void> => {
    const ca = trusted();
    const certificate = await handshake(port, ca);
    certificates.add(certificate);
    authorities.add(splitBundle(ca).find((each) => isSignedBy(certificate, each))!);
  };
  for (let round = 0; round < 280; round++) {
    const began = systemClock.monotonic();
    const attempts = [connectAnew(), admit(), admit(), admit(), admit(), admit()];
    for (const attempt of await Promise.allSettled(attempts)) {
      if (attempt.status === "rejected") failures.push(`in round ${round}: ${describeError(attempt.reason)}`);
    }
    // As fast as the machine goes, but never behind the real time, by which those go who verify certificates. It is ahead
    // of that by less than certificates are dated back.
    await clock.advance(Math.max(0.8 * second, systemClock.monotonic() - began));
  }
  expect(failures).toEqual([]);
  expect(certificates.size).toBeGreaterThanOrEqual(4);
  expect(authorities.size).toBeGreaterThanOrEqual(2);
});
