import { createPublicKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import { describe, expect, test } from "vitest";
import { fits, isPair, isSignedBy, lifetimeOf } from "./inspect.ts";
import { createAuthority, issueLeaf } from "./issue.ts";

const day = 24 * 3_600_000;
const now = Date.UTC(2026, 0, 1);

test("a certificate says what was asked for and is signed by its authority", async () => {
  const authority = await createAuthority("ca", { now, lifetime: 10 * day });
  const request = {
    commonName: "moco-controller",
    dnsNames: ["webhook.default.svc", "*.pods.svc"],
    ipAddresses: ["127.0.0.1"],
    usages: ["server", "client"] as const,
  };
  const leaf = await issueLeaf(authority, request, { now, lifetime: 3 * day });
  const parsed = new X509Certificate(leaf.certificate);
  expect(parsed.subjectAltName).toBe("DNS:webhook.default.svc, DNS:*.pods.svc, IP Address:127.0.0.1");
  expect(parsed.checkHost("a.pods.svc")).toBe("*.pods.svc");
  expect([parsed.ca, new X509Certificate(authority.certificate).ca]).toEqual([false, true]);
  expect([isPair(leaf), isSignedBy(leaf.certificate, authority.certificate)]).toEqual([true, true]);
  expect(fits(leaf.certificate, request)).toBe(true);
  expect(lifetimeOf(leaf.certificate)).toEqual({ madeAt: now, renewAt: now + 2 * day, endsAt: now + 3 * day });
});

describe("a certificate does not fit another", () => {
  const request = { commonName: "a", dnsNames: ["a.svc"], usages: ["server"] as const };
  test.each([
    ["common name", { ...request, commonName: "b" }],
    ["DNS name", { ...request, dnsNames: ["b.svc"] }],
    ["set of DNS names", { ...request, dnsNames: ["a.svc", "b.svc"] }],
    ["set of addresses", { ...request, ipAddresses: ["127.0.0.1"] }],
    ["usage", { ...request, usages: ["client"] as const }],
  ])("%s", async (_, other) => {
    const authority = await createAuthority("ca", { now, lifetime: day });
    const leaf = await issueLeaf(authority, request, { now, lifetime: day });
    expect([fits(leaf.certificate, request), fits(leaf.certificate, other)]).toEqual([true, false]);
  });
});

test("a certificate never outlives its authority", async () => {
  const authority = await createAuthority("ca", { now, lifetime: day });
  const leaf = await issueLeaf(authority, { commonName: "a", usages: ["server"] }, { now, lifetime: 90 * day });
  expect(lifetimeOf(leaf.certificate).endsAt).toBe(now + day);
});

describe("an authority with a key that somebody else made can sign:", () => {
  test.each([
    ["RSA in PKCS #1", generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey, "pkcs1"],
    ["P-384 in SEC 1", generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey, "sec1"],
  ] as const)("%s", async (_, key, type) => {
    const privateKey = key.export({ type, format: "pem" }).toString();
    const { certificate } = await createAuthority("ca", { now, lifetime: day });
    const leaf = await issueLeaf(
      { certificate, privateKey },
      { commonName: "a", usages: ["client"] },
      { now, lifetime: day },
    );
    expect(new X509Certificate(leaf.certificate).verify(createPublicKey(key))).toBe(true);
  });

  test("one of a kind that can't says so", async () => {
    const key = generateKeyPairSync("ed448").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const { certificate } = await createAuthority("ca", { now, lifetime: day });
    const issued = issueLeaf({ certificate, privateKey: key }, { commonName: "a", usages: [] }, { now, lifetime: day });
    await expect(issued).rejects.toMatchObject({ code: "PKI_KEY_UNSUPPORTED" });
  });
});
