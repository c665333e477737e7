/** For API tests: a cluster whose StatefulSet and Pods are made by Kubernetes' own controllers, and rolling updates of it. */
import {
  annotationKeys,
  fieldManager,
  formatSelector,
  clusterLabels,
  MySQLClusters,
  type MySQLCluster,
  type MySQLClusterSpec,
} from "@moco-ts/api";
import { kubectl, testCluster } from "@moco-ts/api/testing";
import { Metrics, silentLogger, systemClock } from "@moco-ts/base";
import {
  Applier,
  changesOf,
  createController,
  done,
  Events,
  EventRecorder,
  ownedBy,
  parseKey,
  Pods,
  ServiceAccounts,
  StatefulSets,
  type Client,
  type Pod,
  type StatefulSet,
} from "@moco-ts/kube";
import { expect, onTestFinished } from "vitest";
import { createCaches, informersOf } from "../../caches.ts";
import { readConfig } from "../../config.ts";
import { createClusterMetrics } from "../../metrics.ts";
import { makeInstances } from "../../reconciliation/instances.ts";
import type { Tools } from "../../reconciliation/tools.ts";
import { testAdmission } from "../../testing/admission.ts";
import { Announcements } from "../announcements.ts";
import { createRolloutController } from "../create.ts";
import { partitionOf } from "../partition.ts";
import { startClustering, type TestClustering } from "./clustering.ts";
import { startKubelet, type Fate } from "./kubelet.ts";

export const patience = { timeout: 240_000, interval: 50 };
/** For tests that go through whole rollouts, on a machine that has other things to do. */
export const unhurried = { timeout: 480_000 };

export interface WorldOptions {
  readonly replicas?: number;
  /** Whether the webhook is there. Default: it is away. */
  readonly webhook?: boolean;
  readonly flags?: readonly string[];
}

export interface ControllerOptions {
  /** Default: the world's. */
  readonly flags?: readonly string[];
  /** What happens to the resources of instances before they are applied. */
  readonly beforeApply?: () => Promise<void>;
}

/** A namespace with a cluster that works, and a controller that has nothing to do. */
export async function createWorld({ replicas = 3, webhook = false, flags = [] }: WorldOptions = {}) {
  const { client, namespace, start } = await testAdmission();
  if (webhook) await start();
  const world = new World(client, { namespace, name: "c" }, flags);
  await world.create(replicas);
  const controller = await world.startController();
  await world.rolledOut("-", replicas);
  world.kubelet.expect(replicas);
  return { world, controller };
}

/** A namespace with a cluster whose Pods have this fate from the beginning. */
export async function createUnborn(fate: (pod: Pod) => Fate): Promise<World> {
  const { client, namespace } = await testAdmission();
  const world = new World(client, { namespace, name: "c" }, []);
  await world.create(3, fate);
  await world.startController();
  return world;
}

export function versionOf({ metadata }: Pod): string {
  return metadata?.annotations?.["version"] ?? "-";
}

export class World {
  readonly client: Client;
  readonly key: { readonly namespace: string; readonly name: string };
  readonly flags: readonly string[];
  kubelet!: Awaited<ReturnType<typeof startKubelet>>;
  clustering!: TestClustering;

  constructor(client: Client, key: { namespace: string; name: string }, flags: readonly string[]) {
    this.client = client;
    this.key = key;
    this.flags = flags;
  }

  get statefulSetKey() {
    return { ...this.key, name: `moco-${this.key.name}` };
  }

  async create(replicas: number, fate: (pod: Pod) => Fate = () => "ready"): Promise<void> {
    const { client, key } = this;
    const { namespace, name } = key;
    await client.create(MySQLClusters, testCluster({ replicas }, { namespace, name }));
    // It is made before the instances, and Pods insist on it.
    await client.create(ServiceAccounts, { metadata: { namespace, name: `moco-${name}` } });
    this.kubelet = await startKubelet(client, namespace, name, replicas);
    await this.kubelet.decide(fate);
    this.clustering = await startClustering(client, key);
  }

  /** Starts what a controller does for instances, without clustering. Ends with the test at the latest. */
  async startController({ flags = this.flags, beforeApply }: ControllerOptions = {}): Promise<{
    stop(): Promise<void>;
    metrics(): Promise<string>;
  }> {
    const stopping = new AbortController();
    const { signal } = stopping;
    const { client } = this;
    const [metrics, logger, clock] = [new Metrics(), silentLogger, systemClock];
    const caches = createCaches(client, { logger, metrics });
    const config = readConfig(flags, { POD_NAMESPACE: "none" });
    const events = new EventRecorder({ client, component: fieldManager });
    const clusterMetrics = createClusterMetrics(metrics);
    const applier = new Applier({ client: beforeApply ? withHook(client, beforeApply) : client, fieldManager });
    const announcements = new Announcements();
    const shared = { client, caches, announcements, clock, logger };
    const tools = { ...shared, applier, config, metrics: clusterMetrics } as unknown as Tools;
    const instances = createController({
      name: "instances",
      metrics,
      sources: [changesOf(caches.clusters), changesOf(caches.statefulSets, { map: ownedBy(MySQLClusters) })],
      reconcile: async (key) => {
        const cluster = caches.clusters.cache.get(key);
        if (cluster === undefined || parseKey(key).namespace !== this.key.namespace) return done;
        await makeInstances(tools, cluster, signal);
        await recordGeneration(client, cluster);
        return done;
      },
    });
    const leadership = { assertHeld: () => undefined } as unknown as Parameters<
      typeof createRolloutController
    >[0]["leadership"];
    const rollout = createRolloutController({ ...shared, ...config, leadership, events, clusterMetrics, metrics });
    for (const informer of informersOf(caches)) void informer.run(signal);
    const running = Promise.all([instances.run(signal), rollout.run(signal)]);
    const stop = async (): Promise<void> => {
      stopping.abort(new Error("the controller has ended"));
      await running;
      await events.close(AbortSignal.timeout(5000));
    };
    onTestFinished(stop);
    return { stop, metrics: () => metrics.text() };
  }

  /** Another cluster that works, in the same namespace and with the same controller. */
  async another(name: string, replicas: number): Promise<World> {
    const other = new World(this.client, { ...this.key, name }, this.flags);
    await other.create(replicas);
    await other.rolledOut("-", replicas);
    return other;
  }

  async edit(spec: Partial<MySQLClusterSpec>): Promise<void> {
    await this.client.patch(MySQLClusters, this.key, { type: "merge", body: { spec } });
  }

  /** Another template of the Pods, which is known by its version. */
  async editTemplate(version: string, rest: Partial<MySQLClusterSpec> = {}): Promise<void> {
    const template = testCluster().spec.podTemplate;
    await this.edit({ podTemplate: { ...template, metadata: { annotations: { version } } }, ...rest });
  }

  async annotate(key: keyof typeof annotationKeys, value: string | null): Promise<void> {
    const body = { metadata: { annotations: { [annotationKeys[key]]: value } } };
    await this.client.patch(MySQLClusters, this.key, { type: "merge", body });
  }

  cluster(): Promise<MySQLCluster> {
    return this.client.get(MySQLClusters, this.key);
  }

  statefulSet(): Promise<StatefulSet> {
    return this.client.get(StatefulSets, this.statefulSetKey);
  }

  async partition(): Promise<number> {
    return partitionOf(await this.statefulSet());
  }

  async setPartition(partition: number): Promise<void> {
    const body = { spec: { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition } } } };
    await this.client.patch(StatefulSets, this.statefulSetKey, { type: "strategic", body });
  }

  async pods(): Promise<Pod[]> {
    const labelSelector = formatSelector(clusterLabels(this.key.name));
    return (await this.client.list(Pods, { namespace: this.key.namespace, labelSelector })).items;
  }

  /** The version of each Pod's template, by ordinal; "-" for the first one. */
  async versions(): Promise<string[]> {
    return (await this.pods()).map(versionOf);
  }

  /** What people are told of the rolling update. */
  async told(): Promise<string> {
    const { status } = await this.cluster();
    const condition = status?.conditions?.find(({ type }) => type === "RolloutStopped");
    return condition ? `${condition.status} ${condition.reason} ${condition.message}` : "nothing";
  }

  /** Asks the primary to hand its role over, and waits until it has. */
  async demote(ordinal: number): Promise<void> {
    const count = this.clustering.switchovers.length;
    const body = { metadata: { annotations: { [annotationKeys.demote]: "true" } } };
    await this.client.patch(
      Pods,
      { ...this.key, name: `${this.statefulSetKey.name}-${ordinal}` },
      { type: "merge", body },
    );
    await expect.poll(() => this.clustering.switchovers.length, patience).toBe(count + 1);
  }

  /** What `kubectl rollout status` says now. */
  async rolloutStatus(): Promise<string> {
    const { namespace, name } = this.statefulSetKey;
    const answer = await kubectl(["rollout", "status", "statefulset", name, "-n", namespace, "--watch=false"]);
    return answer.output.trim();
  }

  /** As `3 -> 2`, in the order in which they were told. */
  async partitionUpdates(): Promise<string[]> {
    const { items } = await this.client.list(Events, { namespace: this.key.namespace });
    return items
      .filter(({ reason }) => reason === "PartitionUpdate")
      .sort((one, other) => Number(one.metadata?.resourceVersion) - Number(other.metadata?.resourceVersion))
      .map(({ message }) => message!.replace("Updated partition from ", "").replace(" to ", " -> "));
  }

  /** Waits until all Pods are of this version, and Kubernetes has found the rollout to be complete. */
  async rolledOut(version: string, replicas: number): Promise<void> {
    await expect.poll(() => this.versions(), patience).toEqual(Array.from({ length: replicas }, () => version));
    await expect.poll(() => this.partition(), patience).toBe(0);
    const isComplete = async () => {
      const { status } = await this.statefulSet();
      return status?.currentRevision === status?.updateRevision && status?.readyReplicas === replicas;
    };
    await expect.poll(isComplete, patience).toBe(true);
  }
}

/** As the reconciler says it. */
async function recordGeneration(client: Client, { metadata }: MySQLCluster): Promise<void> {
  const status = { reconcileInfo: { generation: metadata.generation, reconcileVersion: 2 } };
  await client.patch(MySQLClusters, metadata, { type: "merge", body: { status } }, { subresource: "status" });
}

function withHook(client: Client, beforeApply: () => Promise<void>): Client {
  const apply: Client["apply"] = async (...args) => {
    await beforeApply();
    return client.apply(...args);
  };
  return new Proxy(client, {
    get: (target, property: keyof Client) => (property === "apply" ? apply : target[property]),
  });
}
