// @peculiar/x509 needs this polyfill before it is loaded.
// oxlint-disable-next-line import/no-unassigned-import -- it is loaded for its effect only
import "reflect-metadata";
import { createPrivateKey, type webcrypto } from "node:crypto";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
  type JsonGeneralNames,
} from "@peculiar/x509";
import { CodedError } from "@moco-ts/base";
import type { KeyPair } from "./source.ts";

/** ECDSA on P-256: what every TLS library has, with small keys and quick handshakes. */
const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** Certificates are valid from a little before they are made: the clocks of those who check them differ. */
export const backdating = 5 * 60_000;

export interface Validity {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Milliseconds. */
  readonly lifetime: number;
}

export interface LeafRequest {
  readonly commonName: string;
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
  /** What the certificate may be used for: to serve, to call, or both. */
  readonly usages: readonly ("server" | "client")[];
}

/** A new authority that signs itself. */
export async function createAuthority(commonName: string, validity: Validity): Promise<KeyPair> {
  const keys = await generateKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [commonName] }],
    ...during(validity),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign | KeyUsageFlags.digitalSignature, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: certificate.toString("pem"), privateKey: await exportKey(keys.privateKey) };
}

/** A certificate with a key of its own, signed by the authority. It never outlives the authority. */
export async function issueLeaf(authority: KeyPair, request: LeafRequest, validity: Validity): Promise<KeyPair> {
  const issuer = new X509Certificate(authority.certificate);
  const { notBefore, notAfter } = during(validity);
  const keys = await generateKeys();
  const names: JsonGeneralNames = [
    ...(request.dnsNames ?? []).map((value) => ({ type: "dns" as const, value })),
    ...(request.ipAddresses ?? []).map((value) => ({ type: "ip" as const, value })),
  ];
  const usages = request.usages.map((usage) => ExtendedKeyUsage[`${usage}Auth`]);
  const certificate = await X509CertificateGenerator.create({
    subject: [{ CN: [request.commonName] }],
    issuer: issuer.subject,
    notBefore,
    notAfter: notAfter < issuer.notAfter ? notAfter : issuer.notAfter,
    publicKey: keys.publicKey,
    ...signingWith(authority.privateKey),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension(usages),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(issuer),
      ...(names.length > 0 ? [new SubjectAlternativeNameExtension(names)] : []),
    ],
  });
  return { certificate: certificate.toString("pem"), privateKey: await exportKey(keys.privateKey) };
}

function during({ now, lifetime }: Validity): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(now - backdating), notAfter: new Date(now + lifetime) };
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return PemConverter.encode(await crypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY");
}

/** Authorities that others made have keys of other kinds too, in any of the usual notations. */
function signingWith(privateKey: string) {
  const key = createPrivateKey(privateKey);
  const signingAlgorithm = signingAlgorithmOf(key.asymmetricKeyType ?? "", key.asymmetricKeyDetails?.namedCurve ?? "");
  return { signingAlgorithm, signingKey: key.toCryptoKey(signingAlgorithm, false, ["sign"]) };
}

function signingAlgorithmOf(type: string, curve: string) {
  const namedCurve = { prime256v1: "P-256", secp384r1: "P-384", secp521r1: "P-521" }[curve];
  if (type === "ec" && namedCurve !== undefined) return { name: "ECDSA", namedCurve, hash: "SHA-256" };
  if (type === "rsa") return { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  throw new CodedError("PKI_KEY_UNSUPPORTED", `an authority with a key of type ${type} ${curve} can't be used`);
}
