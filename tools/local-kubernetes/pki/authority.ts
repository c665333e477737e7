// @peculiar/x509 needs this polyfill before it is loaded.
// oxlint-disable-next-line import/no-unassigned-import -- it is loaded for its effect only
import "reflect-metadata";
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
import type { webcrypto } from "node:crypto";
import { isIP } from "node:net";

type CryptoKey = webcrypto.CryptoKey;
type CryptoKeyPair = webcrypto.CryptoKeyPair;

/** A certificate or key pair in PEM. */
export interface KeyPair {
  certificate: string;
  privateKey: string;
}

export interface LeafOptions {
  commonName: string;
  /** Kubernetes reads these as groups. */
  organization?: string;
  /** DNS names and IP addresses that the server answers under. */
  hosts?: string[];
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const lifetime = 10 * 365 * 24 * 3_600_000;

/** A certificate authority that lives as long as its cluster. */
export class Authority {
  readonly certificate: string;
  private readonly parsed: X509Certificate;
  private readonly signingKey: CryptoKey;

  private constructor(parsed: X509Certificate, signingKey: CryptoKey) {
    this.certificate = parsed.toString("pem");
    this.parsed = parsed;
    this.signingKey = signingKey;
  }

  static async create(commonName: string): Promise<Authority> {
    const keys = await generateKeys();
    const certificate = await X509CertificateGenerator.createSelfSigned({
      name: [{ CN: [commonName] }],
      ...validity(),
      keys,
      signingAlgorithm: algorithm,
      extensions: [
        new BasicConstraintsExtension(true, undefined, true),
        new KeyUsagesExtension(
          KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign | KeyUsageFlags.digitalSignature,
          true,
        ),
        await SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    });
    return new Authority(certificate, keys.privateKey);
  }

  static async load(pair: KeyPair): Promise<Authority> {
    const der = PemConverter.decodeFirst(pair.privateKey);
    const signingKey = await crypto.subtle.importKey("pkcs8", der, algorithm, true, ["sign"]);
    return new Authority(new X509Certificate(pair.certificate), signingKey);
  }

  async keyPair(): Promise<KeyPair> {
    return { certificate: this.certificate, privateKey: await exportKey(this.signingKey) };
  }

  /** A certificate that may serve and call. */
  async issue(options: LeafOptions): Promise<KeyPair> {
    const { commonName, organization, hosts = [] } = options;
    const keys = await generateKeys();
    const names: JsonGeneralNames = hosts.map((value) => ({ type: isIP(value) ? "ip" : "dns", value }));
    const certificate = await X509CertificateGenerator.create({
      subject: [{ CN: [commonName] }, ...(organization === undefined ? [] : [{ O: [organization] }])],
      issuer: this.parsed.subject,
      ...validity(),
      publicKey: keys.publicKey,
      signingKey: this.signingKey,
      signingAlgorithm: algorithm,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
        await AuthorityKeyIdentifierExtension.create(this.parsed),
        ...(names.length === 0 ? [] : [new SubjectAlternativeNameExtension(names)]),
      ],
    });
    return { certificate: certificate.toString("pem"), privateKey: await exportKey(keys.privateKey) };
  }
}

async function generateKeys(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
}

async function exportKey(key: CryptoKey): Promise<string> {
  return PemConverter.encode(await crypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY");
}

// An hour back: the clock of whoever checks it may be behind ours.
function validity(): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - 3_600_000), notAfter: new Date(now + lifetime) };
}
