import { apiVersion, MySQLClusters, type MySQLCluster } from "@moco-ts/api";
import type { Client } from "@moco-ts/kube";
import { memoryOf } from "./observe.ts";
import type { Record } from "./ports.ts";
import type { Memory } from "./snapshot.ts";
import { recordManager } from "./status.ts";

/** Straight from the API server. */
export async function readRecord(client: Client, cluster: MySQLCluster, signal: AbortSignal): Promise<Record> {
  return recordOf(await client.get(MySQLClusters, cluster.metadata, { signal }));
}

/** Rejects with a conflict if anything of the cluster has changed since the record was read. */
export async function writeRecord(
  client: Client,
  { metadata }: MySQLCluster,
  version: string,
  { primaryIndex, memory }: { readonly primaryIndex: number; readonly memory: Memory },
  signal: AbortSignal,
): Promise<MySQLCluster> {
  const configuration = {
    apiVersion,
    kind: MySQLClusters.kind,
    metadata: { name: metadata.name, namespace: metadata.namespace, uid: metadata.uid, resourceVersion: version },
    status: { currentPrimaryIndex: primaryIndex, clustering: memory },
  };
  const options = { fieldManager: recordManager, force: true, subresource: "status", signal };
  return client.apply(MySQLClusters, configuration as unknown as MySQLCluster, options);
}

export function recordOf(cluster: MySQLCluster): Record {
  return {
    version: cluster.metadata.resourceVersion ?? "",
    primaryIndex: cluster.status?.currentPrimaryIndex ?? 0,
    memory: memoryOf(cluster),
  };
}
