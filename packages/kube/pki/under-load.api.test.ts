import { X509Certificate } from "node:crypto";
import { connect } from "node:tls";
import { expect, onTestFinished, test, vi } from "vitest";
import { describeError, Metrics, sleep, systemClock, type Clock } from "@moco-ts/base";
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
function slowly(client: Client): Client {
  const apply: Client["apply"] = async (...parameters) => {
    await sleep(systemClock, second);
    return client.apply(...parameters);
  };
  return { ...client, apply };
}

/**
 * Time that runs eight times as fast, so that certificates are renewed every few seconds. Those who verify them go by the
 * real time, which stays behind by less than certificates are dated back: a slow machine has time enough.
 */
function fastClock(): Clock {
  const startedAt = systemClock.now();
  return {
    now: () => startedAt + (systemClock.now() - startedAt) * 8,
    monotonic: () => systemClock.monotonic() * 8,
    schedule: (milliseconds, callback) => systemClock.schedule(milliseconds / 8, callback),
  };
}

/** Two replicas that share their keys; the first serves. */
async function replicas(client: Client, namespace: string) {
  const secrets = await testInformer(client, Secrets, { namespaces: [namespace] });
  const configurations = await testInformer(client, ValidatingWebhookConfigurations, {
    keepManagedFieldsOf: [fieldManager],
  });
  const clock = fastClock();
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
      applier: new Applier({ client: slowly(client), fieldManager }),
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

test(
  "50 requests a second pass while certificates and authorities change, without one failure",
  { timeout: 120_000 },
  async () => {
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

    const failures: string[] = [];
    const certificates = new Set<string>();
    const authorities = new Set<string>();
    const pending: Promise<void>[] = [];
    let admitted = 0;
    const attempt = async (work: () => Promise<void>): Promise<void> => {
      const since = Math.round(systemClock.monotonic() - startedAt);
      await work().catch((error: unknown) => failures.push(`after ${since} ms: ${describeError(error)}`));
    };
    const startedAt = systemClock.monotonic();
    for (let next = startedAt; next < startedAt + 28 * second; next += 100) {
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
    expect(admitted).toBeGreaterThanOrEqual(1_400);
    expect(certificates.size).toBeGreaterThanOrEqual(4);
    expect(authorities.size).toBeGreaterThanOrEqual(2);
  },
);
