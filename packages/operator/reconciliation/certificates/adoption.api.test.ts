import { X509Certificate } from "node:crypto";
import { MySQLClusters } from "@moco-ts/api";
import { installDefinitions, testClient, testCluster, testNamespace } from "@moco-ts/api/testing";
import {
  createAuthority,
  CustomResourceDefinitions,
  defineResource,
  isNotFound,
  isSignedBy,
  issueLeaf,
  Secrets,
  splitBundle,
  type Client,
  type KeyPair,
  type KubeObject,
  type Secret,
} from "@moco-ts/kube";
import { expect, test } from "vitest";
import { startOperator } from "../../testing/operator.ts";

const Certificates = defineResource<KubeObject>("cert-manager.io/v1", "Certificate", "certificates");
const finalizers = ["moco.cybozu.com/mysqlcluster"];
const patience = { timeout: 60_000, interval: 100 };

test("certificates that MOCO had cert-manager make go on, until the cluster is at version 2 or gone", async () => {
  const { client, namespace, system, authority, leaf } = await mocoInstallation();
  await client.create(MySQLClusters, testCluster({}, { name: "c", namespace, finalizers }));
  await setVersion(client, namespace, 1);
  const made = await client.get(Secrets, { namespace: system, name: `moco-agent-${namespace}.c` });
  const operator = await startOperator(system, ["--agent-image-v1=agent:1"]);

  const mounted = () => readPair(client, namespace, "moco-c-grpc");
  await expect.poll(mounted, patience).toMatchObject({ certificate: leaf.certificate, privateKey: leaf.privateKey });
  const { authorities } = (await mounted())!;
  expect(splitBundle(authorities)).toHaveLength(2);
  expect(authorities).toContain(authority.certificate.trim());
  const kept = await client.get(Secrets, { namespace: system, name: `moco-agent-${namespace}.c` });
  expect(kept.metadata?.resourceVersion).toBe(made.metadata?.resourceVersion);
  await client.get(Certificates, { namespace: system, name: `moco-agent-${namespace}.c` });

  // cert-manager renews it.
  const renewed = await issue(authority, namespace);
  const key = { namespace: system, name: `moco-agent-${namespace}.c` };
  await client.patch(Secrets, key, { type: "merge", body: { data: encode(renewed) } });
  await operator.stop();
  const again = await startOperator(system, ["--agent-image-v1=agent:1"]);
  await expect.poll(mounted, patience).toMatchObject({ certificate: renewed.certificate });
  await again.stop();

  await setVersion(client, namespace, 2);
  await startOperator(system);
  const names = async () => certificateNames((await mounted())!.certificate);
  await expect.poll(names, patience).toContain(`moco-c-primary.${namespace}.svc`);
  // Who runs already trusts the signer.
  expect(isSignedBy((await mounted())!.certificate, authority.certificate)).toBe(true);
  expect(await hasCertificate(client, system, namespace)).toBe(false);
  const ours = await client.get(Secrets, { namespace: system, name: `moco-agent-${namespace}.c` });
  expect(Object.keys(ours.metadata?.annotations ?? {})).toEqual(["moco.cybozu.com/authorities-since"]);
});

test("a deleted cluster leaves no Certificate behind that would make its Secret again", async () => {
  const { client, namespace, system } = await mocoInstallation();
  await client.create(MySQLClusters, testCluster({}, { name: "c", namespace, finalizers }));
  await setVersion(client, namespace, 1);
  await client.delete(MySQLClusters, { namespace, name: "c" });
  await startOperator(system);
  await expect.poll(() => hasCertificate(client, system, namespace), patience).toBe(false);
  await expect.poll(() => readPair(client, system, `moco-agent-${namespace}.c`), patience).toBeUndefined();
});

test("without MOCO's authority, agents that run hear of ours first, and keep their certificate", async () => {
  const { client, namespace, system, authority, leaf } = await mocoInstallation();
  await client.delete(Secrets, { namespace: system, name: "moco-grpc-ca" });
  const key = { namespace: system, name: `moco-agent-${namespace}.c` };
  await client.patch(Secrets, key, { type: "merge", body: { metadata: { annotations: null } } });
  await client.create(MySQLClusters, testCluster({}, { name: "c", namespace, finalizers }));
  await startOperator(system);
  const mounted = () => readPair(client, namespace, "moco-c-grpc");
  await expect.poll(mounted, patience).toMatchObject({ certificate: leaf.certificate });
  const { authorities } = (await mounted())!;
  expect(splitBundle(authorities)).toHaveLength(2);
  expect(authorities).toContain(authority.certificate.trim());
});

/** What cert-manager and MOCO leave in two namespaces, for a cluster named c. */
async function mocoInstallation() {
  const client = await testClient();
  await Promise.all([installDefinitions(client), installCertManager(client)]);
  const [namespace, system] = [await testNamespace(client), await testNamespace(client)];
  const authority = await createAuthority("MOCO gRPC CA", { now: Date.now(), lifetime: 3650 * 24 * 3_600_000 });
  const leaf = await issue(authority, namespace);
  await client.create(Secrets, tlsSecret(system, "moco-grpc-ca", authority, authority));
  await client.create(Secrets, tlsSecret(system, `moco-agent-${namespace}.c`, leaf, authority));
  await client.create(Certificates, { metadata: { namespace: system, name: `moco-agent-${namespace}.c` } });
  return { client, namespace, system, authority, leaf };
}

function issue(authority: KeyPair, namespace: string): Promise<KeyPair> {
  const request = { commonName: "", dnsNames: [`*.moco-c.${namespace}.svc`], usages: ["server"] as const };
  return issueLeaf(authority, request, { now: Date.now(), lifetime: 90 * 24 * 3_600_000 });
}

function tlsSecret(namespace: string, name: string, pair: KeyPair, authority: KeyPair): Secret {
  const annotations = { "cert-manager.io/certificate-name": name, "cert-manager.io/issuer-name": "moco-grpc-issuer" };
  const data = { ...encode(pair), "ca.crt": base64(authority.certificate) };
  return { metadata: { namespace, name, annotations }, type: "kubernetes.io/tls", data };
}

function encode({ certificate, privateKey }: KeyPair): Record<string, string> {
  return { "tls.crt": base64(certificate), "tls.key": base64(privateKey) };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

async function readPair(client: Client, namespace: string, name: string) {
  try {
    const { data = {} } = await client.get(Secrets, { namespace, name });
    const text = (key: string) => Buffer.from(data[key] ?? "", "base64").toString();
    return { certificate: text("tls.crt"), privateKey: text("tls.key"), authorities: text("ca.crt") };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function certificateNames(certificate: string): string[] {
  const { subjectAltName = "" } = new X509Certificate(certificate);
  return subjectAltName.split(", ").map((name) => name.replace("DNS:", ""));
}

async function setVersion(client: Client, namespace: string, reconcileVersion: number): Promise<void> {
  const body = { status: { reconcileInfo: { generation: 1, reconcileVersion } } };
  const options = { subresource: "status" };
  await client.patch(MySQLClusters, { namespace, name: "c" }, { type: "merge", body }, options);
}

async function hasCertificate(client: Client, system: string, namespace: string): Promise<boolean> {
  const { items } = await client.list(Certificates, { namespace: system });
  return items.some(({ metadata }) => metadata?.name === `moco-agent-${namespace}.c`);
}

/** No more of cert-manager than its kind. */
async function installCertManager(client: Client): Promise<void> {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const definition = {
    metadata: { name: "certificates.cert-manager.io" },
    spec: {
      group: "cert-manager.io",
      scope: "Namespaced",
      names: { kind: "Certificate", plural: "certificates" },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
  await client.apply(CustomResourceDefinitions, definition, { fieldManager: "test", force: true });
  await expect
    .poll(
      () =>
        client.list(Certificates).then(
          () => true,
          () => false,
        ),
      patience,
    )
    .toBe(true);
}
