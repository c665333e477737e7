import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import type { Clock, Logger, Metrics } from "@moco-ts/base";
import { createWebhooks, parseAddress, type Client, type Webhooks } from "@moco-ts/kube";
import type { Caches } from "../caches.ts";
import type { Config } from "../config.ts";
import { registerAdmission } from "./webhooks.ts";

/** The Secret with the webhooks' certificate and the authority that signed it. */
const secret = "moco-webhook-keys";
const service = "moco-webhook-service";
/** Where MOCO's Deployment mounts a certificate of cert-manager's, which looks after who trusts it too. */
const usualDirectory = "/tmp/k8s-webhook-server/serving-certs";

export interface AdmissionSurroundings {
  readonly client: Client;
  readonly caches: Pick<Caches, "clusters" | "storageClasses">;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** The webhooks, which every replica serves. None if their address is "0". */
export function createAdmission(config: Config, surroundings: AdmissionSurroundings): Webhooks | undefined {
  const { caches, ...rest } = surroundings;
  const address = parseAddress(config.webhookAddress);
  if (address === undefined) return undefined;
  const webhooks = createWebhooks({ ...certificateOf(config), ...address, ...rest });
  registerAdmission(webhooks.server, {
    readStorageClasses: () => caches.storageClasses.cache.list(),
    readClusters: (namespace) =>
      caches.clusters.cache.list().filter(({ metadata }) => metadata.namespace === namespace),
    randomInteger: randomInt,
  });
  return webhooks;
}

/** Who brings a certificate also tells the API server to trust it. */
function certificateOf({ certificateDirectory: given, systemNamespace: namespace }: Config) {
  const directory = given ?? (existsSync(usualDirectory) ? usualDirectory : undefined);
  if (directory !== undefined) return { certificate: { directory } };
  const name = `${service}.${namespace}.svc`;
  return {
    certificate: { managed: { namespace, name: secret }, dnsNames: [name, `${name}.cluster.local`] },
    trustedBy: {
      mutatingWebhookConfigurations: ["moco-mutating-webhook-configuration"],
      validatingWebhookConfigurations: ["moco-validating-webhook-configuration"],
    },
  };
}
