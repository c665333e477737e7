import { createPrivateKey, X509Certificate } from "node:crypto";
import { backdating, type LeafRequest } from "./issue.ts";
import type { KeyPair } from "./source.ts";

export interface Lifetime {
  /** Milliseconds since the epoch. */
  readonly madeAt: number;
  readonly endsAt: number;
  /** Two thirds of its time are over: it is to be replaced. */
  readonly renewAt: number;
}

export function lifetimeOf(certificate: string): Lifetime {
  const { validFromDate, validToDate } = new X509Certificate(certificate);
  const endsAt = validToDate.getTime();
  const madeAt = Math.min(validFromDate.getTime() + backdating, endsAt);
  return { madeAt, endsAt, renewAt: madeAt + ((endsAt - madeAt) * 2) / 3 };
}

/** True if both can be read and belong together: files and Secrets may be written in two steps, or by hand. */
export function isPair({ certificate, privateKey }: KeyPair): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(privateKey));
  } catch {
    // Not PEM, or not yet: the same as not being a pair.
    return false;
  }
}

/** True if the authority signed the certificate. */
export function isSignedBy(certificate: string, authority: string): boolean {
  const [leaf, issuer] = [new X509Certificate(certificate), new X509Certificate(authority)];
  return leaf.checkIssued(issuer) && leaf.verify(issuer.publicKey);
}

const extendedKeyUsages = { server: "1.3.6.1.5.5.7.3.1", client: "1.3.6.1.5.5.7.3.2" };

/** True if the certificate says what is asked for. */
export function fits(certificate: string, request: LeafRequest): boolean {
  const { subject, subjectAltName = "", keyUsage } = new X509Certificate(certificate);
  const names = subjectAltName === "" ? [] : subjectAltName.split(", ");
  const wanted = [
    ...(request.dnsNames ?? []).map((name) => `DNS:${name}`),
    ...(request.ipAddresses ?? []).map((address) => `IP Address:${address}`),
  ];
  return (
    subject === `CN=${request.commonName}` &&
    sameSet(names, wanted) &&
    sameSet(
      keyUsage,
      request.usages.map((usage) => extendedKeyUsages[usage]),
    )
  );
}

function sameSet(some: readonly string[], others: readonly string[]): boolean {
  const [one, other] = [new Set(some), new Set(others)];
  return one.size === other.size && [...one].every((each) => other.has(each));
}

/** The certificates of a bundle, each in PEM. */
export function splitBundle(bundle: string): string[] {
  return bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}

export function joinBundle(certificates: readonly string[]): string {
  return certificates.map((each) => `${each.trim()}\n`).join("");
}

export function sameCertificate(one: string, other: string): boolean {
  return new X509Certificate(one).fingerprint256 === new X509Certificate(other).fingerprint256;
}
