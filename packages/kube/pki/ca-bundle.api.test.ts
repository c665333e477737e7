import { expect, onTestFinished, test, vi } from "vitest";
import { createLogger, systemClock } from "@moco-ts/base";
import { Applier } from "../apply/applier.ts";
import type { Informer } from "../cache/informer.ts";
import type { Client } from "../rest/client.ts";
import { testClient, testNamespace } from "../testing/cluster.ts";
import { runUntilTestEnds, testInformer } from "../testing/informers.ts";
import { recording } from "../testing/recording.ts";
import { loopbackCertificate } from "../testing/webhooks.ts";
import {
  CustomResourceDefinitions,
  MutatingWebhookConfigurations,
  ValidatingWebhookConfigurations,
} from "../types/generated/index.ts";
import type { KubeObject } from "../types/object.ts";
import type { Resource } from "../types/resource.ts";
import { CaBundles, type WebhookTarget } from "./ca-bundle.ts";
import { CurrentCertificate } from "./source.ts";

const fieldManager = "webhook-pki";

async function made<T extends KubeObject>(client: Client, resource: Resource<T>, object: T): Promise<T> {
  const created = await client.create(resource, object, { fieldManager: "installer" });
  onTestFinished(async () => {
    await client.delete(resource, { name: created.metadata!.name! });
  });
  return created;
}

function webhook(name: string) {
  return {
    name: `${name}.example.com`,
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    rules: [{ apiGroups: ["none.example"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["nothings"] }],
    clientConfig: { service: { namespace: "default", name: "none", path: `/${name}` } },
  };
}

function definition(group: string) {
  const schema = { openAPIV3Schema: { type: "object" } };
  return {
    metadata: { name: `shelves.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind: "Shelf", plural: "shelves" },
      versions: [{ name: "v1", served: true, storage: true, schema }],
      conversion: {
        strategy: "Webhook",
        webhook: {
          conversionReviewVersions: ["v1"],
          clientConfig: { service: { namespace: "default", name: "none", path: "/convert" } },
        },
      },
    },
  };
}

async function setup() {
  const client = await testClient();
  const name = await testNamespace(client);
  const group = `${name}.example.com`;
  const other = `${name}-other`;
  await made(client, MutatingWebhookConfigurations, { metadata: { name }, webhooks: [webhook("a"), webhook("b")] });
  await made(client, ValidatingWebhookConfigurations, { metadata: { name }, webhooks: [webhook("c")] });
  await made(client, ValidatingWebhookConfigurations, { metadata: { name: other }, webhooks: [webhook("d")] });
  await made(client, CustomResourceDefinitions, definition(group));

  const keepManagedFieldsOf = [fieldManager];
  const informers = [
    await testInformer(client, MutatingWebhookConfigurations, { keepManagedFieldsOf }),
    await testInformer(client, ValidatingWebhookConfigurations, { keepManagedFieldsOf }),
    await testInformer(client, CustomResourceDefinitions, { keepManagedFieldsOf }),
  ] as unknown as Informer<WebhookTarget>[];
  const { client: recorded, calls } = recording(client);
  const lines: string[] = [];
  const logger = createLogger({ destination: { write: (line: string) => void lines.push(line) } });
  const certificates = new CurrentCertificate();
  const bundles = new CaBundles({
    certificates,
    applier: new Applier({ client: recorded, fieldManager, logger }),
    informers,
    names: [name, `shelves.${group}`],
    clock: systemClock,
    logger,
  });
  runUntilTestEnds((signal) => bundles.run(signal));

  /** The bundles that the server has, decoded. */
  const stored = async (): Promise<string[]> => {
    const mutating = await client.get(MutatingWebhookConfigurations, { name });
    const validating = await client.get(ValidatingWebhookConfigurations, { name });
    const { spec } = await client.get(CustomResourceDefinitions, { name: `shelves.${group}` });
    const configs = [...mutating.webhooks!, ...validating.webhooks!].map(({ clientConfig }) => clientConfig);
    return [...configs, spec.conversion!.webhook!.clientConfig!].map(({ caBundle = "" }) =>
      Buffer.from(caBundle, "base64").toString(),
    );
  };
  return { client, name, other, certificates, bundles, stored, calls, lines };
}

test("every webhook of ours is told whom to trust, and again when that changes; others are left alone", async () => {
  const { client, other, certificates, bundles, stored } = await setup();
  const [first, second] = [await loopbackCertificate(), await loopbackCertificate()];
  expect(bundles.isTrusted(first.authorities)).toBe(false);
  for (const certificate of [first, second]) {
    certificates.set(certificate);
    await vi.waitFor(async () => expect(await stored()).toEqual(Array(4).fill(certificate.authorities)), 60_000);
    await vi.waitFor(() => expect(bundles.isTrusted(certificate.authorities)).toBe(true), 60_000);
  }
  expect(bundles.isTrusted(first.authorities)).toBe(false);
  const untouched = await client.get(ValidatingWebhookConfigurations, { name: other });
  expect(untouched.webhooks![0]!.clientConfig.caBundle).toBeUndefined();
});

test("a bundle that somebody edits or takes out is put back, with a log line that names him", async () => {
  const { client, name, certificates, bundles, stored, lines } = await setup();
  const certificate = await loopbackCertificate();
  certificates.set(certificate);
  await vi.waitFor(() => expect(bundles.isTrusted(certificate.authorities)).toBe(true), 60_000);
  const other = Buffer.from((await loopbackCertificate()).authorities).toString("base64");
  const body = [{ op: "replace" as const, path: "/webhooks/1/clientConfig/caBundle", value: other }];
  await client.patch(MutatingWebhookConfigurations, { name }, { type: "json", body }, { fieldManager: "intruder" });
  await vi.waitFor(async () => expect(await stored()).toEqual(Array(4).fill(certificate.authorities)), 60_000);
  await vi.waitFor(() => expect(lines.join("")).toContain('"changedBy":["intruder (Update)"]'), 60_000);
});

test("nothing is written while all is right", async () => {
  const { client, name, certificates, bundles, calls } = await setup();
  const certificate = await loopbackCertificate();
  certificates.set(certificate);
  await vi.waitFor(() => expect(bundles.isTrusted(certificate.authorities)).toBe(true), 60_000);
  calls.length = 0;
  const body = { metadata: { annotations: { touched: "yes" } } };
  await client.patch(MutatingWebhookConfigurations, { name }, { type: "merge", body });
  certificates.set({ ...certificate, privateKey: `${certificate.privateKey}\n` });
  await client.patch(ValidatingWebhookConfigurations, { name }, { type: "merge", body });
  // The next that is written is the next that there is to write, once for each object.
  const next = await loopbackCertificate();
  certificates.set(next);
  await vi.waitFor(() => expect(bundles.isTrusted(next.authorities)).toBe(true), 60_000);
  expect(calls.filter((call) => call !== "get")).toEqual(["apply", "apply", "apply"]);
});
