import { CodedError, type Clock } from "@moco-ts/base";
import {
  bundleOf,
  decodeKeys,
  isGoodLeaf,
  issueLeaf,
  type Certificate,
  type Informer,
  type LeafRequest,
  type Secret,
} from "@moco-ts/kube";

const day = 24 * 3_600_000;
const leafLifetime = 90 * day;

export interface AgentAuthorityOptions {
  readonly secrets: Informer<Secret>;
  /** `namespace/name` of the Secret with the authority's keys, which a ManagedCertificate looks after. */
  readonly secret: string;
  readonly clock: Clock;
}

/** Signs the certificates of agents. The authority itself is kept, and replaced in time, by a ManagedCertificate. */
export class AgentAuthority {
  readonly #options: AgentAuthorityOptions;

  constructor(options: AgentAuthorityOptions) {
    this.#options = options;
  }

  /** The present certificate as long as it is good, with whom to trust now; else a new one. */
  async certify(present: Secret | undefined, request: LeafRequest): Promise<Certificate> {
    const { secrets, secret, clock } = this.#options;
    const stored = secrets.cache.get(secret);
    const keys = stored && decodeKeys(stored);
    if (keys === undefined) throw new CodedError("AUTHORITY_MISSING", `Secret ${secret} has no authority yet`);
    const old = present && decodePair(present);
    const now = clock.now();
    const leaf = isGoodLeaf(old, keys.authority, request, now)
      ? old!
      : await issueLeaf(keys.authority, request, { now, lifetime: leafLifetime });
    return { ...leaf, authorities: bundleOf(keys) };
  }
}

function decodePair({ data = {} }: Secret): { certificate: string; privateKey: string } {
  const text = (key: string): string => Buffer.from(data[key] ?? "", "base64").toString();
  return { certificate: text("tls.crt"), privateKey: text("tls.key") };
}
