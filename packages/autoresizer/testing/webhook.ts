/** For API tests: a real API server that asks an autoresizer in this process about claims of one namespace. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createAuthority,
  issueLeaf,
  MutatingWebhookConfigurations,
  PersistentVolumeClaims,
  type MutatingWebhook,
} from "@moco-ts/kube";
import { expect, onTestFinished } from "vitest";
import { startAutoresizer, type RunningAutoresizer } from "./autoresizer.ts";
import type { TestCluster } from "./cluster.ts";

export interface ServingAutoresizer extends RunningAutoresizer {
  readonly port: number;
  /** The authority that signed its certificate. */
  readonly authority: string;
}

/** Starts an autoresizer with its webhook, and waits until the API server asks it. */
export async function startWebhook(cluster: TestCluster, flags: readonly string[] = []): Promise<ServingAutoresizer> {
  const { directory, authority } = await makeCertificate();
  const port = await freePort();
  const webhook = [`--webhook-addr=127.0.0.1:${port}`, `--cert-dir=${directory}`];
  const autoresizer = await startAutoresizer(cluster, ["--use-k8s-metrics-api", ...webhook, ...flags]);
  const { client, namespace } = cluster;
  const metadata = { name: namespace };
  await client.create(MutatingWebhookConfigurations, { metadata, webhooks: [webhookOf(namespace, port, authority)] });
  onTestFinished(async () => {
    await client.delete(MutatingWebhookConfigurations, metadata);
  });
  const refusal = async () => {
    const annotations = { "resize.topolvm.io/initial-resize-group-by": "missing" };
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    const probe = { metadata: { name: "probe", namespace, annotations }, spec };
    return client.create(PersistentVolumeClaims, probe, { dryRun: true }).then(() => "", String);
  };
  await expect.poll(refusal, { timeout: 30_000, interval: 100 }).toMatch(/no value is set to the label key missing/);
  return { ...autoresizer, port, authority };
}

function webhookOf(namespace: string, port: number, authority: string): MutatingWebhook {
  return {
    name: "mpersistentvolumeclaim.topolvm.io",
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    failurePolicy: "Fail",
    clientConfig: { url: `https://127.0.0.1:${port}/pvc/mutate`, caBundle: Buffer.from(authority).toString("base64") },
    rules: [
      {
        apiGroups: [""],
        apiVersions: ["v1"],
        operations: ["CREATE"],
        resources: ["persistentvolumeclaims"],
        scope: "Namespaced",
      },
    ],
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
  };
}

/** A certificate for the loopback address, in files as somebody else would give them. */
async function makeCertificate(): Promise<{ directory: string; authority: string }> {
  const directory = await mkdtemp(join(tmpdir(), "moco-ts-autoresizer-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const validity = { now: Date.now(), lifetime: 3_600_000 };
  const authority = await createAuthority("test-ca", validity);
  const subject = { commonName: "test", ipAddresses: ["127.0.0.1"], usages: ["server"] } as const;
  const { certificate, privateKey } = await issueLeaf(authority, subject, validity);
  await writeFile(join(directory, "tls.crt"), certificate);
  await writeFile(join(directory, "tls.key"), privateKey, { mode: 0o600 });
  return { directory, authority: authority.certificate };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
