import { expect, onTestFinished, test } from "vitest";
import { createLogger } from "@moco-ts/base";
import type { Client } from "../rest/client.ts";
import { testClient, testNamespace } from "../testing/cluster.ts";
import { testWebhooks } from "../testing/webhooks.ts";
import {
  ConfigMaps,
  MutatingWebhookConfigurations,
  ValidatingWebhookConfigurations,
  type ConfigMap,
} from "../types/generated/index.ts";
import { allow, forbid, refuse } from "./admission.ts";

/** Registers both webhooks for ConfigMaps of one namespace with the real API server. */
async function register(client: Client, namespace: string, port: number, authorities: string): Promise<void> {
  const webhook = (path: string) => ({
    name: `${path}.example.com`,
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    timeoutSeconds: 5,
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
    rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"] }],
    clientConfig: {
      url: `https://127.0.0.1:${port}/${path}`,
      caBundle: Buffer.from(authorities).toString("base64"),
    },
  });
  const metadata = { name: namespace };
  await client.create(MutatingWebhookConfigurations, { metadata, webhooks: [webhook("mutate")] });
  await client.create(ValidatingWebhookConfigurations, { metadata, webhooks: [webhook("validate")] });
  onTestFinished(async () => {
    await client.delete(MutatingWebhookConfigurations, { name: namespace });
    await client.delete(ValidatingWebhookConfigurations, { name: namespace });
  });
  // The API server takes a moment to hear of it.
  await expect
    .poll(
      async () => {
        const dryRun = await client.create(ConfigMaps, { metadata: { name: "probe", namespace } }, { dryRun: true });
        return dryRun.metadata!.annotations?.["example.com/mutated"];
      },
      { timeout: 60_000 },
    )
    .toBe("yes");
}

async function setup() {
  const warnings: unknown[] = [];
  const destination = { write: (line: string) => void warnings.push(JSON.parse(line).warning) };
  const client = await testClient({ logger: createLogger({ destination }) });
  const namespace = await testNamespace(client);
  const webhooks = await testWebhooks();
  webhooks.server.mutating<ConfigMap>("/mutate", ({ operation, object }) => {
    if (operation === "DELETE") return allow();
    object.metadata!.annotations = { ...object.metadata!.annotations, "example.com/mutated": "yes" };
    return { object };
  });
  webhooks.server.validating<ConfigMap>("/validate", ({ operation, object, oldObject, userInfo }) => {
    if (operation === "DELETE") {
      return oldObject.data?.["keep"] ? forbid(`${userInfo.username} may not delete this`) : allow();
    }
    const { replicas, old } = object.data ?? {};
    const warnings = old === undefined ? [] : ["data.old is deprecated"];
    const invalid = { reason: "FieldValueInvalid", field: "data.replicas", message: "must be odd" };
    return Number(replicas ?? 1) % 2 === 0 ? refuse([invalid], warnings) : allow(warnings);
  });
  const { port } = await webhooks.start();
  await register(client, namespace, port, webhooks.certificate.authorities);
  return { client, namespace, warnings, ...webhooks };
}

test("the API server stores what a webhook made of an object", async () => {
  const { client, namespace } = await setup();
  const stored = await client.create(ConfigMaps, { metadata: { name: "mutated", namespace }, data: { a: "1" } });
  expect(stored).toMatchObject({ metadata: { annotations: { "example.com/mutated": "yes" } }, data: { a: "1" } });
});

test("the API server passes on a refusal with its fields, and warnings", async () => {
  const { client, namespace, warnings } = await setup();
  const metadata = { name: "validated", namespace };
  await expect(client.create(ConfigMaps, { metadata, data: { replicas: "2" } })).rejects.toMatchObject({
    reason: "Invalid",
    message: expect.stringContaining("data.replicas: must be odd"),
    causes: [{ reason: "FieldValueInvalid", field: "data.replicas", message: "must be odd" }],
  });
  await client.create(ConfigMaps, { metadata, data: { replicas: "3", old: "yes", keep: "yes" } });
  expect(warnings).toContain("data.old is deprecated");
  await expect(client.delete(ConfigMaps, metadata)).rejects.toMatchObject({
    reason: "Forbidden",
    message: expect.stringMatching(/denied the request: .* may not delete this$/),
  });
  await client.patch(ConfigMaps, metadata, { type: "merge", body: { data: { keep: null } } });
  await client.delete(ConfigMaps, metadata);
});

test("the largest objects that the API server stores pass through", async () => {
  const { client, namespace } = await setup();
  const metadata = { name: "large", namespace };
  // Quotes double in size when the object travels inside of a review.
  const data = { text: '"'.repeat(500_000), more: "x".repeat(500_000) };
  await client.create(ConfigMaps, { metadata, data });
  const updated = await client.patch(ConfigMaps, metadata, { type: "merge", body: { data: { a: "1" } } });
  expect(updated.data!["a"]).toBe("1");
});

test("a handler that throws refuses the object with its message", async () => {
  const { client, namespace, server } = await setup();
  server.validating("/validate", () => {
    throw new Error("the database is away");
  });
  await expect(client.create(ConfigMaps, { metadata: { name: "thrown", namespace } })).rejects.toMatchObject({
    status: 500,
    message: expect.stringContaining("the database is away"),
  });
});
