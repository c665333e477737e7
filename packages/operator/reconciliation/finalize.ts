import { clusterKeyOf, finalizer, MySQLClusters, namesOf, type MySQLCluster } from "@moco-ts/api";
import { isNotFound, Secrets } from "@moco-ts/kube";
import type { Tools } from "./tools.ts";

/** Removes what no owner reference reaches, as it lives in another namespace, and lets the cluster go. */
export async function finalize(
  { client, config }: Pick<Tools, "client" | "config">,
  cluster: MySQLCluster,
  signal: AbortSignal,
): Promise<void> {
  const { metadata } = cluster;
  const finalizers = metadata.finalizers ?? [];
  if (!finalizers.includes(finalizer)) return;
  const { controllerSecret, certificateSecret } = namesOf(clusterKeyOf(cluster));
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
