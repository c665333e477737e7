import { expect, onTestFinished, test } from "vitest";
import { Metrics, silentLogger, systemClock } from "@moco-ts/base";
import { createManager } from "../manager/manager.ts";
import { testClient, testNamespace } from "../testing/cluster.ts";
import { runUntilTestEnds } from "../testing/informers.ts";
import { ConfigMaps, MutatingWebhookConfigurations, type ConfigMap } from "../types/generated/index.ts";
import { forbid } from "./admission.ts";
import { createWebhooks } from "./create-webhooks.ts";

test("example: a webhook that gives ConfigMaps a label, with a certificate of its own", async () => {
  const client = await testClient();
  const namespace = await testNamespace(client);

  const metrics = new Metrics();
  const webhooks = createWebhooks({
    client,
    clock: systemClock,
    metrics,
    logger: silentLogger,
    host: "127.0.0.1",
    port: 19_443,
    certificate: {
      managed: { namespace, name: "webhook-keys" },
      dnsNames: [`webhook.${namespace}.svc`],
      ipAddresses: ["127.0.0.1"],
    },
    trustedBy: { mutatingWebhookConfigurations: [namespace] },
  });
  webhooks.server.mutating<ConfigMap>("/mutate-configmap", ({ object }) => {
    if (object === undefined) return forbid("nothing to mutate");
    object.metadata!.labels = { ...object.metadata!.labels, "example.com/seen": "yes" };
    return { object };
  });
  const manager = createManager({ servers: [webhooks], metrics, healthAddress: "0", metricsAddress: "0" });
  runUntilTestEnds((signal) => manager.run(signal));

  // An installer creates this, without a caBundle.
  const webhook = {
    name: "mutate-configmap.example.com",
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
    rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
    clientConfig: { url: "https://127.0.0.1:19443/mutate-configmap" },
  };
  await client.create(MutatingWebhookConfigurations, { metadata: { name: namespace }, webhooks: [webhook] });
  onTestFinished(async () => {
    await client.delete(MutatingWebhookConfigurations, { name: namespace });
  });

  const labels = async (): Promise<unknown> => {
    const configMap = { metadata: { generateName: "example-", namespace } };
    const created = await client.create(ConfigMaps, configMap).catch(() => undefined);
    return created?.metadata!.labels;
  };
  await expect.poll(labels, { timeout: 60_000 }).toEqual({ "example.com/seen": "yes" });
});
