/** webhook: gives a new claim the size of its group, before its volume is made. */
import { silentLogger, type Logger } from "@moco-ts/base";
import {
  allow,
  PersistentVolumeClaims,
  type Client,
  type MutatingHandler,
  type PersistentVolumeClaim,
  type StorageClass,
  type WebhookServer,
} from "@moco-ts/kube";
import { quantityText } from "../decision/text.ts";
import { decideInitialSize } from "./initial-size.ts";

export const mutatePath = "/pvc/mutate";

export interface WebhookOptions {
  /** Members are read from the API server for every claim: another member may be a moment old. */
  readonly client: Client;
  readonly storageClass: (name: string) => StorageClass | undefined;
  /** Claims elsewhere stay as they are, since we may have no right to look at their groups. Empty: all namespaces. */
  readonly namespaces: readonly string[];
  /** Whether claims stay as they are in any case. */
  readonly dryRun: boolean;
  readonly logger?: Logger;
}

export function registerWebhook(server: WebhookServer, options: WebhookOptions): void {
  server.mutating(mutatePath, mutateClaim(options));
}

function mutateClaim(options: WebhookOptions): MutatingHandler<PersistentVolumeClaim> {
  const { client, namespaces, dryRun, logger = silentLogger } = options;
  return async ({ operation, object, namespace = "" }, signal) => {
    if (operation !== "CREATE" || (namespaces.length > 0 && !namespaces.includes(namespace))) return allow();
    const { metadata, spec } = object;
    const log = logger.with({ namespace, name: metadata?.name ?? metadata?.generateName });
    const readMembers = async (labelSelector: string) =>
      (await client.list(PersistentVolumeClaims, { namespace, labelSelector, signal })).items;
    const size = await decideInitialSize(object, options.storageClass(spec?.storageClassName ?? ""), readMembers);
    if (size.kind === "refused") {
      return { allowed: false, status: { code: 400, reason: "BadRequest", message: size.message } };
    }
    if (size.kind === "unchanged") {
      log.debug(size.message);
      return allow(warningsOf(size));
    }
    const fields = { from: spec?.resources?.requests?.["storage"], to: quantityText(size.request) };
    log.info(
      dryRun ? "would create a PVC larger, but for the dry run" : "a new PVC gets the size of its group",
      fields,
    );
    return dryRun ? allow() : { object: size.claim, warnings: warningsOf(size) };
  };
}

function warningsOf({ warning }: { readonly warning?: string | undefined }): string[] {
  return warning === undefined ? [] : [warning];
}
