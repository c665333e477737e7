import { clusterKeyOf, finalizer, MySQLClusters, namesOf, type MySQLCluster } from "@moco-ts/api";
import { isNotFound, keyOf, Secrets } from "@moco-ts/kube";
import { endRenewal, isCertManagers } from "./certificates/cert-manager.ts";
import type { Tools } from "./tools.ts";

/** Removes what no owner reference reaches, as it lives in another namespace, and lets the cluster go. */
export async function finalize(
  tools: Pick<Tools, "client" | "config" | "caches">,
  cluster: MySQLCluster,
  signal: AbortSignal,
): Promise<void> {
  const { client, config, caches } = tools;
  const { metadata } = cluster;
  const finalizers = metadata.finalizers ?? [];
  if (!finalizers.includes(finalizer)) return;
  const { controllerSecret, certificateSecret } = namesOf(clusterKeyOf(cluster));
  const certificate = keyOf({ namespace: config.systemNamespace, name: certificateSecret });
  const madeForMoco = caches.namesakes.get(Secrets.plural)?.cache.get(certificate);
  // It would make the Secret again. Where we may not say so, a Secret of no use is left: that must not keep the cluster.
  if (madeForMoco && isCertManagers(madeForMoco)) await endRenewal(tools, cluster, signal);
  for (const name of [controllerSecret, certificateSecret]) {
    await client.delete(Secrets, { namespace: config.systemNamespace, name }, { signal }).catch(ignoreNotFound);
  }
  // The resourceVersion keeps another finalizer that was added meanwhile.
  const body = {
    metadata: {
      resourceVersion: metadata.resourceVersion,
      finalizers: finalizers.filter((each) => each !== finalizer),
    },
  };
  await client.patch(MySQLClusters, metadata, { type: "merge", body }, { signal }).catch(ignoreNotFound);
}

function ignoreNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
