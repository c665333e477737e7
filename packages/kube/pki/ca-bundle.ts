import { silentLogger, type Clock, type Logger } from "@moco-ts/base";
import type { Applier } from "../apply/applier.ts";
import type { Configuration } from "../apply/configuration.ts";
import type { Informer } from "../cache/informer.ts";
import type {
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "../types/generated/index.ts";
import type { KubeObject } from "../types/object.ts";
import { sameCertificate, splitBundle } from "./inspect.ts";
import type { Certificate, CertificateSource } from "./source.ts";
import { onEachChange } from "./upkeep.ts";

export type WebhookTarget = MutatingWebhookConfiguration | ValidatingWebhookConfiguration | CustomResourceDefinition;

export interface CaBundlesOptions {
  readonly certificates: CertificateSource;
  /** Writes under a manager of its own; the informers have to keep that manager's entries in managedFields. */
  readonly applier: Applier;
  /** Of webhook configurations and of definitions with a conversion webhook. Somebody else runs them. */
  readonly informers: readonly Informer<WebhookTarget>[];
  /** Names of the objects that are ours; others are left alone. */
  readonly names: readonly string[];
  readonly clock: Clock;
  readonly logger?: Logger;
}

const hour = 3_600_000;

/** Tells the API server whom to trust: keeps caBundle right in all webhooks of the named objects. */
export class CaBundles {
  readonly #options: CaBundlesOptions;

  constructor(options: CaBundlesOptions) {
    this.#options = options;
  }

  /** True if every webhook that there is trusts the authority: then it may sign. */
  isTrusted(authority: string): boolean {
    const synced = this.#options.informers.every((informer) => informer.hasSynced());
    return (
      synced &&
      this.#targets().every(({ object }) =>
        bundlesOf(object).every((bundle) => {
          const trusted = splitBundle(Buffer.from(bundle ?? "", "base64").toString("utf8"));
          return trusted.some((each) => sameCertificate(each, authority));
        }),
      )
    );
  }

  /** Puts the bundle in, and back if somebody takes it out, until the signal is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { certificates, informers, clock, logger = silentLogger } = this.#options;
    const triggers = [(wake: () => void) => certificates.subscribe(wake)];
    await onEachChange({ clock, logger, informers, triggers, signal }, async () => {
      const { authorities } = await certificates.ready(signal);
      await this.#put(authorities, signal);
      return hour;
    });
  }

  async #put(authorities: Certificate["authorities"], signal: AbortSignal): Promise<void> {
    const { applier, logger = silentLogger } = this.#options;
    if (authorities === "") return;
    const caBundle = Buffer.from(authorities).toString("base64");
    for (const { informer, object } of this.#targets()) {
      const configuration = configurationOf(object, caBundle);
      if (configuration === undefined) continue;
      const { outcome } = await applier.apply(informer.resource, configuration, { live: object, signal });
      if (outcome === "updated") logger.info("set the caBundle of webhooks", { name: object.metadata?.name });
    }
  }

  #targets(): { informer: Informer<WebhookTarget>; object: WebhookTarget }[] {
    const { informers, names } = this.#options;
    return informers.flatMap((informer) =>
      informer.cache
        .list()
        .filter(({ metadata }) => names.includes(metadata?.name ?? ""))
        .map((object) => ({ informer, object })),
    );
  }
}

function bundlesOf(object: WebhookTarget): (string | undefined)[] {
  if (!isDefinition(object)) return (object.webhooks ?? []).map(({ clientConfig }) => clientConfig.caBundle);
  const { conversion } = object.spec;
  return conversion?.strategy === "Webhook" ? [conversion.webhook?.clientConfig?.caBundle] : [];
}

/** Only the bundles, so that everything else in the object stays its maker's. */
function configurationOf(object: WebhookTarget, caBundle: string): Configuration<KubeObject> | undefined {
  const metadata = { name: object.metadata?.name ?? "" };
  const clientConfig = { caBundle };
  if (bundlesOf(object).length === 0) return undefined;
  const body = isDefinition(object)
    ? { spec: { conversion: { webhook: { clientConfig } } } }
    : { webhooks: (object.webhooks ?? []).map(({ name }) => ({ name, clientConfig })) };
  return { metadata, ...body };
}

function isDefinition(object: WebhookTarget): object is CustomResourceDefinition {
  return "spec" in object;
}
