import {
  clusterLabels,
  formatSelector,
  MySQLClusters,
  namesOf,
  ordinalOf,
  type ClusterKey,
  type MySQLCluster,
} from "@moco-ts/api";
import { describeError } from "@moco-ts/base";
import {
  Events,
  hasReason,
  isNotFound,
  PersistentVolumeClaims,
  Pods,
  StatefulSets,
  type Client,
  type Event,
  type PersistentVolumeClaim,
  type Pod,
  type Selection,
  type StatefulSet,
} from "@moco-ts/kube";

/** What the API server has of a cluster. */
export interface ClusterObjects {
  readonly cluster: MySQLCluster;
  readonly statefulSet: StatefulSet | undefined;
  readonly pods: readonly Pod[];
  readonly claims: readonly PersistentVolumeClaim[];
  readonly events: readonly Event[];
  /** What could not be read, and why. */
  readonly problems: readonly string[];
}

/** Which objects are a cluster's. Events can't be selected by several objects: `isEventOf` chooses among them. */
export function selectionsOf(key: ClusterKey): Record<"cluster" | "statefulSet" | "members" | "events", Selection> {
  const { namespace, name } = key;
  return {
    cluster: { namespace, fieldSelector: `metadata.name=${name}` },
    statefulSet: { namespace, fieldSelector: `metadata.name=${namesOf(key).statefulSet}` },
    members: { namespace, labelSelector: formatSelector(clusterLabels(name)) },
    events: { namespace },
  };
}

/** True for events of the cluster itself, its StatefulSet, Pods and claims. */
export function isEventOf({ name }: ClusterKey, { involvedObject }: Event): boolean {
  const { kind = "", name: object = "" } = involvedObject;
  if (kind === "MySQLCluster") return object === name;
  if (kind === "StatefulSet") return object === `moco-${name}`;
  const ordinal = ordinalOf(object);
  if (ordinal === undefined) return false;
  const pod = `moco-${name}-${ordinal}`;
  return (kind === "Pod" && object === pod) || (kind === "PersistentVolumeClaim" && object.endsWith(`-${pod}`));
}

/** Reads everything at once. Rejects only if the cluster itself can't be read. */
export async function readObjects(client: Client, key: ClusterKey, signal: AbortSignal): Promise<ClusterObjects> {
  const selections = selectionsOf(key);
  const problems: string[] = [];
  const otherwise = <T>(what: string, promise: Promise<T>, instead: T): Promise<T> =>
    promise.catch((error: unknown) => {
      signal.throwIfAborted();
      if (isNotFound(error)) return instead;
      problems.push(`${what} could not be read: ${reasonOf(error)}`);
      return instead;
    });
  const statefulSetKey = { namespace: key.namespace, name: namesOf(key).statefulSet };
  const [cluster, statefulSet, pods, claims, events] = await Promise.all([
    client.get(MySQLClusters, key, { signal }),
    otherwise<StatefulSet | undefined>(
      "The StatefulSet",
      client.get(StatefulSets, statefulSetKey, { signal }),
      undefined,
    ),
    otherwise("Pods", list(client.list(Pods, { ...selections.members, signal })), []),
    otherwise("Volumes", list(client.list(PersistentVolumeClaims, { ...selections.members, signal })), []),
    otherwise("Events", list(client.list(Events, { ...selections.events, signal })), []),
  ]);
  return { cluster, statefulSet, pods, claims, events: events.filter((event) => isEventOf(key, event)), problems };
}

async function list<T>(promise: Promise<{ items: T[] }>): Promise<T[]> {
  return (await promise).items;
}

function reasonOf(error: unknown): string {
  return hasReason(error, "Forbidden") ? "you may not list them" : describeError(error);
}
