import { Applier } from "../apply/applier.ts";
import { createInformer } from "../cache/create-informer.ts";
import type { Informer } from "../cache/informer.ts";
import type { Component } from "../manager/component.ts";
import { CaBundles, type WebhookTarget } from "../pki/ca-bundle.ts";
import { DirectoryCertificate, SecretCertificate } from "../pki/given-certificate.ts";
import { ManagedCertificate } from "../pki/managed-certificate.ts";
import type { CertificateSource } from "../pki/source.ts";
import type { Client } from "../rest/client.ts";
import {
  CustomResourceDefinitions,
  MutatingWebhookConfigurations,
  Secrets,
  ValidatingWebhookConfigurations,
  type Secret,
} from "../types/generated/index.ts";
import type { KubeObject, ObjectKey } from "../types/object.ts";
import type { Resource } from "../types/resource.ts";
import { WebhookServer, type WebhookServerOptions } from "./server.ts";

export interface WebhooksOptions extends Omit<WebhookServerOptions, "certificates"> {
  readonly client: Client;
  readonly certificate: WebhookCertificate;
  /** Names of objects whose caBundle is kept right. Default: none, somebody else does that. */
  readonly trustedBy?: TrustedBy;
  /** Writes the caBundles: a name that nobody else writes under. Default "webhook-pki". */
  readonly fieldManager?: string;
}

/** Where the server's certificate comes from. */
export type WebhookCertificate =
  /** Made and renewed here, kept in a Secret that all replicas share. */
  | { readonly managed: ObjectKey; readonly dnsNames: readonly string[]; readonly ipAddresses?: readonly string[] }
  /** In a Secret that somebody else fills (tls.crt, tls.key, ca.crt). It is never written. */
  | { readonly existing: ObjectKey }
  /** In files that somebody else writes (tls.crt, tls.key, ca.crt). */
  | { readonly directory: string };

export interface TrustedBy {
  readonly mutatingWebhookConfigurations?: readonly string[];
  readonly validatingWebhookConfigurations?: readonly string[];
  /** For their conversion webhooks. */
  readonly customResourceDefinitions?: readonly string[];
}

/** A server with everything that it needs. */
export interface Webhooks extends Component {
  /** For the handlers. */
  readonly server: WebhookServer;
}

interface Part {
  run(signal: AbortSignal): Promise<void>;
}

/**
 * A webhook server that looks after its certificate and after those who have to trust it. Give it to a manager as one of
 * its servers: it follows the objects that it depends on by itself, each by its name, so that it is up before any cache
 * and gets by with rights on those names.
 */
export function createWebhooks(options: WebhooksOptions): Webhooks {
  const { client, trustedBy = {}, fieldManager = "webhook-pki", clock, logger } = options;
  const informers: Informer<KubeObject>[] = [];

  const follow = <T extends KubeObject>(resource: Resource<T>, { namespace, name }: ObjectKey): Informer<T> => {
    const informer = createInformer(client, resource, {
      ...(namespace !== undefined && { namespaces: [namespace] }),
      fieldSelector: `metadata.name=${name}`,
      keepManagedFieldsOf: [fieldManager],
      ...(logger && { logger }),
    });
    informers.push(informer);
    return informer;
  };

  const followAll = <T extends WebhookTarget>(resource: Resource<T>, names: readonly string[] = []): Informer<T>[] =>
    names.map((name) => follow(resource, { name }));
  const targets: Informer<WebhookTarget>[] = [
    ...followAll(MutatingWebhookConfigurations, trustedBy.mutatingWebhookConfigurations),
    ...followAll(ValidatingWebhookConfigurations, trustedBy.validatingWebhookConfigurations),
    ...followAll(CustomResourceDefinitions, trustedBy.customResourceDefinitions),
  ];

  const certificates = certificateSource(options, (secret) => follow(Secrets, secret), {
    isTrusted: (authority) => bundles.isTrusted(authority),
  });
  const bundles = new CaBundles({
    certificates,
    applier: new Applier({ client, fieldManager, ...(logger && { logger }) }),
    informers: targets,
    names: Object.values(trustedBy).flat(),
    clock,
    ...(logger && { logger }),
  });
  const server = new WebhookServer({ ...options, certificates });

  return {
    name: "webhooks",
    needLeaderElection: false,
    server,
    async run(signal, ready) {
      const ending = new AbortController();
      const others = [...informers, certificates, bundles].map((part: Part) => part.run(ending.signal));
      try {
        await server.run(signal, ready);
      } finally {
        // Only now: certificates are looked after until the last request is answered.
        ending.abort(signal.reason);
        await Promise.all(others);
      }
    },
  };
}

function certificateSource(
  { client, certificate, clock, logger }: WebhooksOptions,
  follow: (secret: ObjectKey) => Informer<Secret>,
  { isTrusted }: { isTrusted: (authority: string) => boolean },
): CertificateSource & Part {
  const common = { clock, ...(logger && { logger }) };
  if ("directory" in certificate) return new DirectoryCertificate({ ...certificate, ...common });
  if ("existing" in certificate) {
    const secret = certificate.existing;
    return new SecretCertificate({ secrets: follow(secret), secret, ...common });
  }
  const { managed: secret, ...names } = certificate;
  const leaf = { commonName: secret.name, ...names, usages: ["server"] as const };
  return new ManagedCertificate({ client, secrets: follow(secret), secret, leaf, isTrusted, ...common });
}
