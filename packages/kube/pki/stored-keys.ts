import type { Secret } from "../types/generated/index.ts";
import { isPair, joinBundle, sameCertificate, splitBundle } from "./inspect.ts";
import type { Keys } from "./rotation.ts";
import type { KeyPair } from "./source.ts";

type Data = Readonly<Record<string, string>>;

/** Everybody whom clients should trust now, the one that signs first. */
export function bundleOf({ authority, next, previous }: Keys): string {
  return joinBundle([authority.certificate, ...(next ? [next.certificate] : []), ...previous]);
}

/** The keys in a Secret; undefined if there is no authority in it. */
export function decodeKeys(secret: Secret): Keys | undefined {
  const data = secret.data ?? {};
  const [certificate, ...others] = splitBundle(text(data, "ca.crt"));
  if (certificate === undefined) return undefined;
  const authority = { certificate, privateKey: text(data, "ca.key") };
  const next = pair(data, "next-ca.crt", "next-ca.key");
  return {
    authority,
    next,
    previous: others.filter((each) => next === undefined || !sameCertificate(each, next.certificate)),
    leaf: pair(data, "tls.crt", "tls.key"),
  };
}

/** The names that cert-manager uses too, so that programs find what they look for. */
export function encodeKeys(keys: Keys): Record<string, string> {
  const { authority, next, leaf } = keys;
  const texts = {
    "ca.crt": bundleOf(keys),
    "ca.key": authority.privateKey,
    ...(next && { "next-ca.crt": next.certificate, "next-ca.key": next.privateKey }),
    ...(leaf && { "tls.crt": leaf.certificate, "tls.key": leaf.privateKey }),
  };
  return Object.fromEntries(
    Object.entries(texts).map(([name, value]) => [name, Buffer.from(value).toString("base64")]),
  );
}

export function text(data: Data, name: string): string {
  return Buffer.from(data[name] ?? "", "base64").toString("utf8");
}

function pair(data: Data, certificate: string, privateKey: string): KeyPair | undefined {
  const found = { certificate: text(data, certificate), privateKey: text(data, privateKey) };
  return isPair(found) ? found : undefined;
}
