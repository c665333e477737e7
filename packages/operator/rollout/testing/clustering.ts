/** For API tests without mysqld: says of a cluster what clustering would, by the readiness of its Pods alone. */
import { annotationKeys, isAnnotated, MySQLClusters, podName, stateCondition, type ClusterKey } from "@moco-ts/api";
import { createInformer, isConflict, isNotFound, Pods, StatefulSets, type Client, type Pod } from "@moco-ts/kube";
import { onTestFinished } from "vitest";
import { clusterOf, instanceOrdinal } from "../../pods.ts";
import { isReady } from "./kubelet.ts";

export interface TestClustering {
  /** Switchovers, as `2 -> 0`. */
  readonly switchovers: string[];
  /** The next primary, if it is Ready. */
  prefer(ordinal: number | undefined): void;
  /** Overrules what the Pods say. */
  overrule(healthy: boolean | undefined): Promise<void>;
}

export async function startClustering(client: Client, key: ClusterKey): Promise<TestClustering> {
  const stopping = new AbortController();
  const { signal } = stopping;
  onTestFinished(() => stopping.abort(new Error("the test is over")));
  const { namespace, name } = key;
  const clusters = createInformer(client, MySQLClusters, { namespaces: [namespace] });
  const pods = createInformer(client, Pods, { namespaces: [namespace] });
  const switchovers: string[] = [];
  let overruled: boolean | undefined;
  let preferred: number | undefined;
  let initialized = false;
  let primary = 0;

  const look = async (): Promise<void> => {
    const cluster = clusters.cache.get(`${namespace}/${name}`);
    if (cluster === undefined || signal.aborted) return;
    const members = pods.cache.list().filter((pod) => clusterOf(pod).some((each) => each.name === name));
    const up = members.filter((pod) => isReady(pod) && pod.metadata?.deletionTimestamp === undefined);
    const old = members.find((pod) => instanceOrdinal(pod) === primary);
    if (old !== undefined && isAnnotated(old, annotationKeys.demote)) {
      const next = await candidate(up.filter((pod) => pod !== old));
      if (next !== undefined) {
        switchovers.push(`${primary} -> ${next}`);
        primary = next;
        const body = { metadata: { annotations: { [annotationKeys.demote]: null } } };
        await client.patch(Pods, { namespace, name: podName(name, instanceOrdinal(old)) }, { type: "merge", body });
      }
    }
    const healthy = overruled ?? (up.length === cluster.spec.replicas && members.length === up.length);
    initialized ||= up.length > cluster.spec.replicas / 2;
    const state = healthy ? "Healthy" : initialized ? "Degraded" : "Incomplete";
    const conditions = [
      stateCondition("Initialized", initialized ? "True" : "False", state),
      stateCondition("Available", initialized ? "True" : "False", state),
      stateCondition("Healthy", healthy ? "True" : "False", state),
    ].map((content) => ({ ...content, lastTransitionTime: "2026-01-01T00:00:00Z" }));
    const object = { ...cluster, metadata: { name, namespace }, status: { conditions, currentPrimaryIndex: primary } };
    const { apiVersion, kind, metadata, status } = object;
    const configuration = { apiVersion: apiVersion!, kind: kind!, metadata, status } as typeof cluster;
    await client.apply(MySQLClusters, configuration, {
      fieldManager: "clustering",
      force: true,
      subresource: "status",
    });
  };
  const candidate = async (up: readonly Pod[]): Promise<number | undefined> => {
    const { status } = await client.get(StatefulSets, { namespace, name: `moco-${name}` });
    const isUpdated = (pod: Pod) => pod.metadata?.labels?.["controller-revision-hash"] === status?.updateRevision;
    const ordered = up.toSorted((one, other) => instanceOrdinal(one) - instanceOrdinal(other));
    const wished = ordered.find((pod) => instanceOrdinal(pod) === preferred);
    const chosen = wished ?? ordered.find(isUpdated) ?? ordered[0];
    return chosen && instanceOrdinal(chosen);
  };
  let looking = Promise.resolve();
  const later = (): void => {
    looking = looking.then(look).catch((error: unknown) => {
      if (!signal.aborted && !isNotFound(error) && !isConflict(error)) throw error;
    });
  };
  pods.subscribe({ added: later, updated: later, deleted: later });
  for (const informer of [clusters, pods]) void informer.run(signal);
  await Promise.all([clusters.waitForSync(signal), pods.waitForSync(signal)]);
  return {
    switchovers,
    prefer: (ordinal) => void (preferred = ordinal),
    async overrule(healthy) {
      overruled = healthy;
      later();
      await looking;
    },
  };
}
