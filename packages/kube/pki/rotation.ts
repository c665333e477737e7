/**
 * When which certificate is made. An authority is followed by a next one: first clients are told to trust both, only
 * later certificates are signed by the next one. `decide` says what is due; `carryOut` does it.
 */
import { fits, isPair, isSignedBy, lifetimeOf } from "./inspect.ts";
import { createAuthority, issueLeaf, type LeafRequest } from "./issue.ts";
import type { KeyPair } from "./source.ts";

export interface Keys {
  /** Signs certificates. */
  readonly authority: KeyPair;
  /** Is trusted already and signs next. */
  readonly next?: KeyPair | undefined;
  /** Signed before: certificates of theirs may still be shown by somebody. PEM, without keys. */
  readonly previous: readonly string[];
  readonly leaf?: KeyPair | undefined;
}

export interface RotationPolicy {
  readonly leaf: LeafRequest;
  /** Milliseconds. */
  readonly authorityLifetime: number;
  readonly leafLifetime: number;
  /** How long a new authority is trusted before it signs. */
  readonly overlap: number;
}

export type Step =
  | "make the first authority"
  | "make the next authority"
  | "change to the next authority"
  | "forget old authorities"
  | "issue a certificate";

/** What is due now; undefined if nothing is. `isTrusted` can hold back an authority that clients don't know of yet. */
export function decide(
  keys: Keys | undefined,
  now: number,
  policy: RotationPolicy,
  isTrusted: (authority: string) => boolean,
): Step | undefined {
  if (keys === undefined || !isPair(keys.authority) || lifetimeOf(keys.authority.certificate).endsAt <= now) {
    return "make the first authority";
  }
  const { authority, next, previous, leaf } = keys;
  if (next === undefined) {
    if (lifetimeOf(authority.certificate).renewAt <= now) return "make the next authority";
  } else if (lifetimeOf(next.certificate).madeAt + policy.overlap <= now && isTrusted(next.certificate)) {
    return "change to the next authority";
  }
  if (previous.some((each) => lifetimeOf(each).endsAt <= now)) return "forget old authorities";
  return isGoodLeaf(leaf, authority, policy.leaf, now) ? undefined : "issue a certificate";
}

/** Whether the certificate is what the request asks for, signed by this authority, and not yet due to be renewed. */
export function isGoodLeaf(leaf: KeyPair | undefined, authority: KeyPair, request: LeafRequest, now: number): boolean {
  return (
    leaf !== undefined &&
    isPair(leaf) &&
    isSignedBy(leaf.certificate, authority.certificate) &&
    fits(leaf.certificate, request) &&
    lifetimeOf(leaf.certificate).renewAt > now
  );
}

export async function carryOut(step: Step, keys: Keys | undefined, now: number, policy: RotationPolicy): Promise<Keys> {
  const authority = (): Promise<KeyPair> =>
    createAuthority(`${policy.leaf.commonName}-ca`, { now, lifetime: policy.authorityLifetime });
  if (keys === undefined) return { authority: await authority(), previous: [] };
  switch (step) {
    case "make the first authority":
      return { authority: await authority(), previous: [] };
    case "make the next authority":
      return { ...keys, next: await authority() };
    case "change to the next authority":
      return {
        ...keys,
        authority: keys.next ?? (await authority()),
        next: undefined,
        previous: [keys.authority.certificate, ...keys.previous],
      };
    case "forget old authorities":
      return { ...keys, previous: keys.previous.filter((each) => lifetimeOf(each).endsAt > now) };
    default:
      return { ...keys, leaf: await issueLeaf(keys.authority, policy.leaf, { now, lifetime: policy.leafLifetime }) };
  }
}

/** How soon it is looked again whether a new authority that is held back is trusted by all. */
const heldBackWait = 30_000;

/** When `decide` should be asked again, if nothing else happens. Ask it first: what is still due is held back. */
export function dueAt(keys: Keys, now: number, policy: RotationPolicy): number {
  const { authority, next, previous, leaf } = keys;
  const times = [
    next === undefined
      ? lifetimeOf(authority.certificate).renewAt
      : lifetimeOf(next.certificate).madeAt + policy.overlap,
    ...previous.map((each) => lifetimeOf(each).endsAt),
    ...(leaf === undefined ? [] : [lifetimeOf(leaf.certificate).renewAt]),
  ];
  return Math.min(...times.map((time) => (time > now ? time : now + heldBackWait)));
}
