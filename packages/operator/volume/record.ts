import { clusterKeyOf, MySQLClusters, namesOf, recreationLabels, type MySQLCluster } from "@moco-ts/api";
import {
  controllerReference,
  ControllerRevisions,
  isAlreadyExists,
  isNotFound,
  type Client,
  type ControllerRevision,
  type ObjectKey,
} from "@moco-ts/kube";
import type { Recreation } from "./replacement.ts";

/*
 * From before a StatefulSet is deleted until its successor is complete, the successor is on record in the API server, so
 * that whoever comes next can make it. A ControllerRevision is meant for states of workloads, can't be changed, and is
 * nothing that users of a namespace may usually write.
 */

export function recordKey(cluster: MySQLCluster): ObjectKey & { namespace: string } {
  return { namespace: cluster.metadata.namespace, name: namesOf(clusterKeyOf(cluster)).recreation };
}

export async function readRecord(
  client: Client,
  cluster: MySQLCluster,
  signal: AbortSignal,
): Promise<Recreation | undefined> {
  try {
    const { data } = await client.get(ControllerRevisions, recordKey(cluster), { signal });
    return data as Recreation;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Call it only while the StatefulSet is there: a record of an earlier attempt is replaced. */
export async function writeRecord(
  client: Client,
  cluster: MySQLCluster,
  recreation: Recreation,
  signal: AbortSignal,
): Promise<void> {
  const record: ControllerRevision = {
    metadata: {
      ...recordKey(cluster),
      labels: recreationLabels(cluster.metadata.name),
      ownerReferences: [controllerReference(MySQLClusters, cluster)],
    },
    revision: 1,
    data: recreation,
  };
  const create = () => client.create(ControllerRevisions, record, { signal });
  try {
    await create();
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    await forgetRecord(client, cluster, signal);
    await create();
  }
}

export async function forgetRecord(client: Client, cluster: MySQLCluster, signal: AbortSignal): Promise<void> {
  try {
    await client.delete(ControllerRevisions, recordKey(cluster), { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
