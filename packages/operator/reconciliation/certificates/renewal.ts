/** When an agent's certificate changes. Running agents read theirs once an hour, so that trust comes before signatures. */
import {
  isGoodLeaf,
  isPair,
  isSignedBy,
  joinBundle,
  lifetimeOf,
  splitBundle,
  type KeyPair,
  type LeafRequest,
} from "@moco-ts/kube";

/** Milliseconds for which a new authority is trusted before it signs, and an old one after it has signed last. */
export const overlap = 2 * 3_600_000;

/** A certificate as those who use it have it. */
export interface Published {
  readonly leaf: KeyPair;
  /** Whom they trust, in PEM. */
  readonly authorities: string;
  /** When somebody was added to them, in milliseconds since the epoch; undefined: long ago. */
  readonly since: number | undefined;
}

/** Who signs now, and everybody who is to be trusted. */
export interface Trust {
  readonly signer: KeyPair;
  /** In PEM, the signer's own among them. */
  readonly authorities: string;
}

export interface Renewal {
  /** Whether the certificate stays as it is; else the signer makes another one. */
  readonly keeps: boolean;
  readonly authorities: string;
  readonly since: number | undefined;
}

/** What becomes of a certificate. It changes only when everybody has had the time to learn of its signer. */
export function decideRenewal(
  published: Published | undefined,
  { signer, authorities }: Trust,
  request: LeafRequest,
  now: number,
): Renewal {
  if (published === undefined || !isUsable(published.leaf, now)) return { keeps: false, authorities, since: now };
  const { leaf } = published;
  const gains = adds(published.authorities, authorities);
  const since = gains ? now : published.since;
  const both = together(authorities, published.authorities);
  const { madeAt, endsAt } = lifetimeOf(leaf.certificate);
  if (isSignedBy(leaf.certificate, signer.certificate)) {
    const isSettled = madeAt + overlap <= now;
    const keeps = isGoodLeaf(leaf, signer, request, now);
    return { keeps, authorities: isSettled ? authorities : both, since };
  }
  const isKnown = !adds(published.authorities, signer.certificate) && (since === undefined || since + overlap <= now);
  return { keeps: !isKnown && now + overlap < endsAt, authorities: both, since };
}

/** Whether it can be shown to anybody: whole, and not over. */
export function isUsable(leaf: KeyPair, now: number): boolean {
  return isPair(leaf) && lifetimeOf(leaf.certificate).endsAt > now;
}

/** All certificates of some bundles, each once. */
export function together(...bundles: readonly string[]): string {
  return joinBundle([...new Set(bundles.flatMap(splitBundle).map((each) => each.trim()))]);
}

/** Whether the second bundle has a certificate that the first has not. */
function adds(known: string, bundle: string): boolean {
  return together(known, bundle) !== together(known);
}
