import { annotationKeys, dataKeys } from "@moco-ts/api";
import type { KeyPair, Secret } from "@moco-ts/kube";
import type { Published } from "./renewal.ts";

/** The certificate in a Secret, as cert-manager and we keep it. What is missing is empty. */
export function decodePublished(secret: Secret): Published {
  const since = Date.parse(secret.metadata?.annotations?.[annotationKeys.authoritiesSince] ?? "");
  return {
    leaf: decodePair(secret),
    authorities: text(secret, dataKeys.authority),
    since: Number.isNaN(since) ? undefined : since,
  };
}

export function decodePair(secret: Secret): KeyPair {
  return { certificate: text(secret, dataKeys.certificate), privateKey: text(secret, dataKeys.privateKey) };
}

function text({ data = {} }: Secret, key: string): string {
  return Buffer.from(data[key] ?? "", "base64").toString();
}
