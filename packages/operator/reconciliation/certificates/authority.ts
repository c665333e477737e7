import { X509Certificate } from "node:crypto";
import { CodedError, sleep, type Clock } from "@moco-ts/base";
import {
  bundleOf,
  decodeKeys,
  isGoodLeaf,
  isSignedBy,
  issueLeaf,
  type Certificate,
  type KeyPair,
  type LeafRequest,
  type Secret,
} from "@moco-ts/kube";
import { decideRenewal, isUsable, together, type Published, type Trust } from "./renewal.ts";
import { decodePair } from "./stored.ts";

const leafLifetime = 90 * 24 * 3_600_000;
/** Agents obey nobody else. */
export const controllerRequest: LeafRequest = { commonName: "moco-controller", usages: ["client"] };

export interface AgentAuthorityOptions {
  /** Our own authority, which a ManagedCertificate looks after. */
  readonly readOwn: () => Secret | undefined;
  /** The authority that MOCO had cert-manager make, if there is one: agents that run already trust nobody else. */
  readonly readAdopted: () => Secret | undefined;
  /** A certificate to call agents with that somebody else looks after, if there is one. */
  readonly readGiven: () => Certificate | undefined;
  readonly clock: Clock;
}

/** Signs the certificates of agents, and of the controller that calls them. */
export class AgentAuthority {
  readonly #options: AgentAuthorityOptions;
  /** The controller's certificates by their signers': they need not outlive the process. */
  readonly #own = new Map<string, KeyPair>();

  constructor(options: AgentAuthorityOptions) {
    this.#options = options;
  }

  /** The present certificate as long as it may stay, with whom to trust now; else a new one. */
  async certify(present: Published | undefined, request: LeafRequest, signal: AbortSignal): Promise<Published> {
    await this.#waitForOwn(signal);
    const now = this.#options.clock.now();
    const trust = this.#trust(now);
    const { keeps, authorities, since } = decideRenewal(present, trust, request, now);
    const leaf = keeps ? present!.leaf : await issueLeaf(trust.signer, request, { now, lifetime: leafLifetime });
    return { leaf, authorities, since };
  }

  /** Whom agents should trust now. */
  trusted(): string {
    return this.#trust(this.#options.clock.now()).authorities;
  }

  /**
   * What the controller shows to agents that have this certificate. They trust whoever signed it; a new authority they
   * may not have heard of yet.
   */
  async credentials({ leaf, authorities }: Published): Promise<Certificate> {
    const now = this.#options.clock.now();
    const trust = this.#trust(now);
    const trusted = together(trust.authorities, authorities);
    const given = this.#options.readGiven();
    if (given && isUsable(given, now)) return { ...given, authorities: trusted };
    const signer = isUsable(leaf, now)
      ? trust.signers.find(({ certificate }) => isSignedBy(leaf.certificate, certificate))
      : trust.signer;
    return { ...(await this.#signedBy(signer ?? trust.signers.at(-1)!, now)), authorities: trusted };
  }

  /** At the very first start it is being made. If that takes longer than a few seconds, something is wrong. */
  async #waitForOwn(signal: AbortSignal): Promise<void> {
    const { readOwn, clock } = this.#options;
    for (let attempt = 0; readOwn() === undefined && attempt < 50; attempt++) await sleep(clock, 100, signal);
  }

  async #signedBy(signer: KeyPair, now: number): Promise<KeyPair> {
    const known = this.#own.get(signer.certificate);
    if (known && isGoodLeaf(known, signer, controllerRequest, now)) return known;
    const leaf = await issueLeaf(signer, controllerRequest, { now, lifetime: leafLifetime });
    this.#own.set(signer.certificate, leaf);
    return leaf;
  }

  /** `signers`: all whose keys we have, our own last. */
  #trust(now: number): Trust & { readonly signers: readonly KeyPair[] } {
    const { readOwn, readAdopted, readGiven } = this.#options;
    const stored = readOwn();
    const own = stored && decodeKeys(stored);
    if (own === undefined) throw new CodedError("AUTHORITY_MISSING", "the authority of agents is not made yet");
    const found = readAdopted();
    const adopted = found && decodePair(found);
    const signers = [...(adopted && isAuthority(adopted, now) ? [adopted] : []), own.authority];
    const authorities = together(signers[0]!.certificate, bundleOf(own), readGiven()?.authorities ?? "");
    return { signer: signers[0]!, signers, authorities };
  }
}

function isAuthority(pair: KeyPair, now: number): boolean {
  return isUsable(pair, now) && new X509Certificate(pair.certificate).ca;
}
