import { raceAbort } from "@moco-ts/base";

/** A certificate chain and its private key, in PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly privateKey: string;
}

/** What a server shows, and whom its clients have to trust. */
export interface Certificate extends KeyPair {
  /** PEM of all authorities that clients should trust now; "" if that is not known. */
  readonly authorities: string;
}

/** Where a server's certificate comes from, while it changes. */
export interface CertificateSource {
  /** The current certificate, as soon as there is one. */
  ready(signal: AbortSignal): Promise<Certificate>;
  /** Told of every change from now on. The returned function ends that. */
  subscribe(listener: (certificate: Certificate) => void): () => void;
}

/** A source that somebody else fills. */
export class CurrentCertificate implements CertificateSource {
  readonly #listeners = new Set<(certificate: Certificate) => void>();
  readonly #first = Promise.withResolvers<void>();
  #current: Certificate | undefined;

  async ready(signal: AbortSignal): Promise<Certificate> {
    await raceAbort(this.#first.promise, signal);
    return this.#current!;
  }

  subscribe(listener: (certificate: Certificate) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** True if this is news. */
  set(certificate: Certificate): boolean {
    const old = this.#current;
    const known =
      old?.certificate === certificate.certificate &&
      old.privateKey === certificate.privateKey &&
      old.authorities === certificate.authorities;
    if (known) return false;
    this.#current = certificate;
    this.#first.resolve();
    for (const listener of this.#listeners) listener(certificate);
    return true;
  }
}
