/**
 * pki: an authority and a serving certificate of our own, kept in a Secret that all replicas share; a certificate from
 * a Secret or a directory that somebody else looks after; and the caBundle of the webhooks' configurations.
 */
import { CodedError, silentLogger, type Clock, type Logger } from "@moco-ts/base";
import type { Informer } from "../cache/informer.ts";
import type { Client } from "../rest/client.ts";
import { hasReason, isNotFound } from "../rest/errors.ts";
import { Secrets, type Secret } from "../types/generated/index.ts";
import { keyOf, type ObjectKey } from "../types/object.ts";
import type { LeafRequest } from "./issue.ts";
import { carryOut, decide, dueAt, type Keys, type RotationPolicy, type Step } from "./rotation.ts";
import { CurrentCertificate, type Certificate, type CertificateSource } from "./source.ts";
import { bundleOf, decodeKeys, encodeKeys } from "./stored-keys.ts";
import { onEachChange } from "./upkeep.ts";

const hour = 3_600_000;
const day = 24 * hour;

export interface ManagedCertificateOptions {
  readonly client: Client;
  /** Of the Secret's namespace, or of that one Secret. Somebody else runs it. */
  readonly secrets: Informer<Secret>;
  /** Where the keys are kept. */
  readonly secret: ObjectKey;
  readonly labels?: Readonly<Record<string, string>>;
  readonly leaf: LeafRequest;
  readonly clock: Clock;
  readonly logger?: Logger;
  /** Milliseconds. Default ten years. Replaced after two thirds of it. */
  readonly authorityLifetime?: number;
  /** Milliseconds. Default 90 days. Replaced after two thirds of it. */
  readonly leafLifetime?: number;
  /** Milliseconds for which clients trust a new authority before it signs. Default one hour. */
  readonly overlap?: number;
  /** Asked before a new authority signs: false holds it back. Default: clients are told in time. */
  readonly isTrusted?: (authority: string) => boolean;
}

/**
 * @example
 * const certificate = new ManagedCertificate({ client, clock, secrets, secret: { namespace, name: "webhook-keys" }, leaf });
 * const server = new WebhookServer({ certificates: certificate, clock, metrics });
 * await Promise.all([certificate.run(signal), server.run(signal)]);
 */
export class ManagedCertificate implements CertificateSource {
  readonly #options: ManagedCertificateOptions;
  readonly #policy: RotationPolicy;
  readonly #logger: Logger;
  readonly #current = new CurrentCertificate();

  constructor(options: ManagedCertificateOptions) {
    const { leaf, authorityLifetime = 3650 * day, leafLifetime = 90 * day, overlap = hour } = options;
    if (overlap >= authorityLifetime / 3) {
      throw new CodedError("PKI_OVERLAP_TOO_LONG", "an authority would end before the next one may sign");
    }
    this.#options = options;
    this.#policy = { leaf, authorityLifetime, leafLifetime, overlap };
    this.#logger = (options.logger ?? silentLogger).with({ object: keyOf(options.secret) });
  }

  ready(signal: AbortSignal): Promise<Certificate> {
    return this.#current.ready(signal);
  }

  subscribe(listener: (certificate: Certificate) => void): () => void {
    return this.#current.subscribe(listener);
  }

  /** Keeps the certificate good until the signal is aborted. Never rejects: what fails is tried again. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, secrets } = this.#options;
    await onEachChange({ clock, logger: this.#logger, informers: [secrets], signal }, () => this.#keepGood(signal));
  }

  /** Returns when it has to be called again. */
  async #keepGood(signal: AbortSignal): Promise<number> {
    const { client, secret: key, secrets, clock } = this.#options;
    for (let stored = secrets.cache.get(keyOf(key)); ;) {
      signal.throwIfAborted();
      if (stored !== undefined) refuseForeign(stored);
      const { keys, steps } = await this.#evolve(stored && decodeKeys(stored));
      if (steps.length > 0 && !(await this.#store(stored, keys, signal))) {
        // Another replica was quicker: what it stored counts.
        stored = await client.get(Secrets, key, { signal }).catch((error: unknown) => {
          if (isNotFound(error)) return undefined;
          throw error;
        });
        continue;
      }
      if (steps.length > 0) this.#logger.info("renewed certificates", { steps });
      this.#current.set({ ...keys.leaf!, authorities: bundleOf(keys) });
      const now = clock.now();
      return dueAt(keys, now, this.#policy) - now;
    }
  }

  async #evolve(old: Keys | undefined): Promise<{ keys: Keys; steps: Step[] }> {
    const { clock, isTrusted = () => true } = this.#options;
    const now = clock.now();
    const steps: Step[] = [];
    let keys = old;
    for (;;) {
      const step = decide(keys, now, this.#policy, isTrusted);
      if (step === undefined) return { keys: keys!, steps };
      keys = await carryOut(step, keys, now, this.#policy);
      steps.push(step);
    }
  }

  /** False if somebody else wrote in the meantime. */
  async #store(old: Secret | undefined, keys: Keys, signal: AbortSignal): Promise<boolean> {
    const { client, secret: key, labels } = this.#options;
    const data = encodeKeys(keys);
    try {
      if (old === undefined) {
        await client.create(Secrets, { metadata: { ...key, labels: { ...labels } }, type: "Opaque", data }, { signal });
      } else {
        const { "next-ca.crt": _crt, "next-ca.key": _key, ...others } = old.data ?? {};
        await client.update(Secrets, { ...old, data: { ...others, ...data } }, { signal });
      }
      return true;
    } catch (error) {
      if (hasReason(error, "AlreadyExists", "Conflict", "NotFound")) return false;
      throw error;
    }
  }
}

/** Certificates without their authority's key come from somebody else, who would go on renewing them. */
function refuseForeign({ metadata, data = {} }: Secret): void {
  if ("ca.key" in data || !("tls.crt" in data)) return;
  throw new CodedError(
    "PKI_FOREIGN_SECRET",
    `Secret ${metadata?.namespace}/${metadata?.name} holds a certificate that was not made here: it is left alone`,
  );
}
