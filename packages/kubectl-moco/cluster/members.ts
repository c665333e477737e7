import { clusterLabels, formatSelector, labelKeys, ordinalOf, type MySQLCluster } from "@moco-ts/api";
import { Pods, type Pod } from "@moco-ts/kube";
import { Failure } from "../failure.ts";
import type { Session } from "../session.ts";

/** The cluster's Pods by index. */
export async function getMembers(
  { client, namespace }: Session,
  { metadata }: MySQLCluster,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, Pod>> {
  const labelSelector = formatSelector(clusterLabels(metadata.name));
  const { items } = await client.list(Pods, { namespace, labelSelector, signal });
  return new Map(items.map((pod) => [ordinalOf(pod.metadata?.name ?? "") ?? -1, pod]));
}

/** Sets annotations of the very Pod that was looked at: one that has come in its place was not meant. */
export async function annotatePod(
  { client }: Session,
  pod: Pod,
  annotations: Readonly<Record<string, string | null>>,
  signal: AbortSignal,
): Promise<Pod> {
  const { namespace, name = "", uid } = pod.metadata ?? {};
  const body = { metadata: { uid, annotations } };
  return client.patch(Pods, { namespace, name }, { type: "merge", body }, { signal });
}

export function isReady({ status, metadata }: Pod): boolean {
  if (metadata?.deletionTimestamp) return false;
  return status?.conditions?.find(({ type }) => type === "Ready")?.status === "True";
}

export function isPrimary(cluster: MySQLCluster, index: number, pod: Pod | undefined): boolean {
  return index === cluster.status?.currentPrimaryIndex || pod?.metadata?.labels?.[labelKeys.role] === "primary";
}

/** The one that there must be. */
export function memberOf(members: ReadonlyMap<number, Pod>, cluster: MySQLCluster, index: number): Pod {
  const pod = members.get(index);
  if (pod) return pod;
  const { namespace, name } = cluster.metadata;
  const advice = `See kubectl moco status ${name} for how the cluster is.`;
  throw new Failure(`instance ${index} of MySQLCluster "${namespace}/${name}" has no Pod`, { advice });
}
