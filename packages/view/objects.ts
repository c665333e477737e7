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
  PersistentVolumeClaims,
  Pods,
  StatefulSets,
  type Client,
  type Event,
  type KubeObject,
  type PersistentVolumeClaim,
  type Pod,
  type Resource,
  type Selection,
  type StatefulSet,
} from "@moco-ts/kube";

/** What the API server has of a cluster. What could not be read is undefined, which is not the same as not there. */
export interface ClusterObjects {
  readonly cluster: MySQLCluster;
  /** One or none. */
  readonly statefulSets: readonly StatefulSet[] | undefined;
  readonly pods: readonly Pod[] | undefined;
  readonly claims: readonly PersistentVolumeClaim[] | undefined;
  readonly events: readonly Event[] | undefined;
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

/** What happens to every Pod that starts. */
const routine = new Set(["Scheduled", "Pulling", "Pulled", "Created", "Started"]);

/** True for events of the cluster itself, its StatefulSet, Pods and claims, unless they are routine. */
export function isEventOf({ name }: ClusterKey, { involvedObject, type, reason }: Event): boolean {
  if (type === "Normal" && routine.has(reason ?? "")) return false;
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
  const read = async <T extends KubeObject>(
    what: string,
    resource: Resource<T>,
    selection: Selection,
  ): Promise<T[] | undefined> => {
    try {
      return (await client.list(resource, { ...selection, signal })).items;
    } catch (error) {
      signal.throwIfAborted();
      problems.push(`${what} can't be read: ${hasReason(error, "Forbidden") ? "you may not" : describeError(error)}`);
      return undefined;
    }
  };
  const [cluster, statefulSets, pods, claims, events] = await Promise.all([
    client.get(MySQLClusters, key, { signal }),
    read("StatefulSets", StatefulSets, selections.statefulSet),
    read("Pods", Pods, selections.members),
    read("Volume claims", PersistentVolumeClaims, selections.members),
    read("Events", Events, selections.events),
  ]);
  return {
    cluster,
    statefulSets,
    pods,
    claims,
    events: events?.filter((event) => isEventOf(key, event)),
    problems: problems.sort(),
  };
}
