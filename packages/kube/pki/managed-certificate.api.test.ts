import { describe, expect, test, vi } from "vitest";
import { createLogger, SimulatedClock } from "@moco-ts/base";
import type { Client } from "../rest/client.ts";
import { testClient, testNamespace } from "../testing/cluster.ts";
import { runUntilTestEnds, testInformer } from "../testing/informers.ts";
import { recording } from "../testing/recording.ts";
import { loopbackCertificate } from "../testing/webhooks.ts";
import { Secrets, type Secret } from "../types/generated/index.ts";
import { isSignedBy, lifetimeOf, splitBundle } from "./inspect.ts";
import { ManagedCertificate, type ManagedCertificateOptions } from "./managed-certificate.ts";
import { SecretCertificate } from "./given-certificate.ts";
import type { Certificate } from "./source.ts";

const day = 24 * 3_600_000;
const leaf = { commonName: "webhook", dnsNames: ["webhook.default.svc"], usages: ["server"] as const };

async function setup() {
  const client = await testClient();
  const namespace = await testNamespace(client);
  const secret = { namespace, name: "webhook-keys" };
  const clock = new SimulatedClock();
  return { client, secret, clock };
}

/** What one replica does, and the certificates that it showed. */
async function replica(
  { client, secret, clock }: { client: Client; secret: { namespace: string; name: string }; clock: SimulatedClock },
  options: Partial<ManagedCertificateOptions> = {},
) {
  const { client: recorded, calls } = recording(client);
  const secrets = await testInformer(client, Secrets, { namespaces: [secret.namespace] });
  const lines: string[] = [];
  const logger = createLogger({ destination: { write: (line: string) => void lines.push(line) } });
  const managed = new ManagedCertificate({ client: recorded, secrets, secret, leaf, clock, logger, ...options });
  const shown: Certificate[] = [];
  managed.subscribe((certificate) => shown.push(certificate));
  runUntilTestEnds((signal) => managed.run(signal));
  return { managed, shown, calls, lines, ready: () => managed.ready(AbortSignal.timeout(20_000)) };
}

test("the first replica makes keys, and a later one uses them without writing", async () => {
  const cluster = await setup();
  const first = await replica(cluster);
  const certificate = await first.ready();
  expect(isSignedBy(certificate.certificate, certificate.authorities)).toBe(true);
  expect(first.calls).toEqual(["create"]);

  const second = await replica(cluster);
  expect(await second.ready()).toEqual(certificate);
  expect(second.calls).toEqual([]);
});

test("replicas that start at the same moment agree on one authority and one certificate", async () => {
  const cluster = await setup();
  const replicas = await Promise.all([1, 2, 3, 4].map(() => replica(cluster)));
  const certificates = await Promise.all(replicas.map(({ ready }) => ready()));
  for (const certificate of certificates) expect(certificate).toEqual(certificates[0]);
  expect(replicas.flatMap(({ shown }) => shown.slice(1))).toEqual([]);
});

test("the certificate is renewed after two thirds of its time by one replica, and all show the new one", async () => {
  const cluster = await setup();
  const [first, second] = [await replica(cluster), await replica(cluster)];
  const old = await first.ready();
  await second.ready();
  await cluster.clock.advance(60 * day - 60_000);
  expect(first.shown.concat(second.shown).every(({ certificate }) => certificate === old.certificate)).toBe(true);

  await cluster.clock.advance(120_000);
  await vi.waitFor(() => {
    expect(first.shown.at(-1)).not.toEqual(old);
    expect(second.shown.at(-1)).toEqual(first.shown.at(-1));
  }, 60_000);
  const renewed = first.shown.at(-1)!;
  expect(renewed.authorities).toBe(old.authorities);
  expect(lifetimeOf(renewed.certificate).endsAt).toBeGreaterThan(cluster.clock.now() + 89 * day);
});

test("a new authority is published first, signs later, and the old one stays trusted", async () => {
  const cluster = await setup();
  let trusted = false;
  const { shown, ready } = await replica(cluster, { authorityLifetime: 300 * day, isTrusted: () => trusted });
  const old = await ready();
  const { clock } = cluster;
  await clock.advance(199 * day);
  await vi.waitFor(
    async () => {
      await clock.advance(day / 12);
      expect(splitBundle(shown.at(-1)!.authorities)).toHaveLength(2);
    },
    { timeout: 60_000, interval: 20 },
  );
  const [active, next] = splitBundle(shown.at(-1)!.authorities) as [string, string];
  expect(clock.now()).toBeGreaterThanOrEqual(lifetimeOf(active).renewAt);
  expect(isSignedBy(shown.at(-1)!.certificate, active)).toBe(true);

  await clock.advance(2 * 3_600_000);
  expect(isSignedBy(shown.at(-1)!.certificate, active)).toBe(true);
  trusted = true;
  await clock.advance(2 * 3_600_000);
  await vi.waitFor(() => expect(isSignedBy(shown.at(-1)!.certificate, next)).toBe(true), 60_000);
  expect(splitBundle(shown.at(-1)!.authorities)).toEqual([next, active]);
  expect(old.authorities).toContain(active);
});

describe("somebody who", () => {
  test("deletes the Secret gets a new one", async () => {
    const cluster = await setup();
    const { shown, ready } = await replica(cluster);
    const old = await ready();
    await cluster.client.delete(Secrets, cluster.secret);
    await vi.waitFor(() => expect(shown.at(-1)!.authorities).not.toBe(old.authorities), 60_000);
    await cluster.client.get(Secrets, cluster.secret);
  });

  test("spoils the certificate gets it repaired, by the same authority, and what is not ours stays", async () => {
    const cluster = await setup();
    const { shown, ready } = await replica(cluster);
    const old = await ready();
    const data = { "tls.key": Buffer.from("nonsense").toString("base64"), note: "aGVsbG8=" };
    await cluster.client.patch(Secrets, cluster.secret, { type: "merge", body: { data } });
    await vi.waitFor(() => expect(shown.at(-1)!.certificate).not.toBe(old.certificate), 60_000);
    expect(shown.at(-1)!.authorities).toBe(old.authorities);
    expect((await cluster.client.get(Secrets, cluster.secret)).data).toMatchObject({ note: "aGVsbG8=" });
  });

  test("keeps a certificate of his own there keeps it: it is never overwritten", async () => {
    const cluster = await setup();
    const { certificate, privateKey } = await loopbackCertificate();
    await cluster.client.create(Secrets, tlsSecret(cluster.secret, certificate, privateKey));
    const { calls, lines } = await replica(cluster);
    await vi.waitFor(() => expect(lines.join("")).toContain("PKI_FOREIGN_SECRET"), 60_000);
    expect(calls).toEqual([]);
  });
});

test("a Secret that somebody else fills is followed and never written", async () => {
  const { client, secret, clock } = await setup();
  const [first, second] = [await loopbackCertificate(), await loopbackCertificate()];
  const secrets = await testInformer(client, Secrets, { namespaces: [secret.namespace] });
  const given = new SecretCertificate({ secrets, secret, clock });
  const shown: string[] = [];
  given.subscribe(({ certificate }) => shown.push(certificate));
  runUntilTestEnds((signal) => given.run(signal));
  await client.create(Secrets, tlsSecret(secret, first.certificate, first.privateKey));
  expect((await given.ready(AbortSignal.timeout(10_000))).certificate).toBe(first.certificate);
  const { data } = tlsSecret(secret, second.certificate, second.privateKey);
  await client.patch(Secrets, secret, { type: "merge", body: { data } });
  await vi.waitFor(() => expect(shown).toEqual([first.certificate, second.certificate]), 60_000);
});

function tlsSecret(metadata: { namespace: string; name: string }, certificate: string, privateKey: string): Secret {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  return {
    metadata,
    type: "kubernetes.io/tls",
    data: { "tls.crt": base64(certificate), "tls.key": base64(privateKey) },
  };
}
