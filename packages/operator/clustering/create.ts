import { MySQLClusters, type MySQLCluster } from "@moco-ts/api";
import type { Clock, Logger, Metrics } from "@moco-ts/base";
import {
  Applier,
  changesOf,
  createController,
  every,
  keyOf,
  ownedBy,
  type Client,
  type Controller,
  type EventRecorder,
  type Key,
  type Leadership,
  type Source,
} from "@moco-ts/kube";
import type { Caches } from "../caches.ts";
import type { ClusterMetrics } from "../metrics.ts";
import { clusterOf } from "../pods.ts";
import { Clustering, type Instances } from "./clustering.ts";
import type { CloneOrder } from "./kubernetes.ts";
import { clusteringManager } from "./status.ts";

export interface ClusteringControllerOptions {
  /** Writes only while this replica leads. */
  readonly client: Client;
  readonly caches: Caches;
  readonly systemNamespace: string;
  /** Milliseconds between regular checks of a cluster. */
  readonly checkInterval: number;
  readonly concurrency: number;
  readonly leadership: Leadership;
  readonly events: EventRecorder;
  readonly clusterMetrics: ClusterMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Makes the connections to mysqld, which call back when a heartbeat tells something new. */
  readonly createInstances: (changed: (key: Key) => void) => Instances;
  readonly clone: (cluster: MySQLCluster, order: CloneOrder) => Promise<void>;
}

/** The controller of replication. */
export function createClusteringController(options: ClusteringControllerOptions): Controller {
  const { client, caches, events, clock, logger, metrics } = options;
  const alarm = createAlarm();
  const clustering = new Clustering({
    client,
    applier: new Applier({ client, fieldManager: clusteringManager, logger }),
    caches,
    systemNamespace: options.systemNamespace,
    events,
    metrics: options.clusterMetrics,
    clock,
    instances: options.createInstances(alarm.wake),
    clone: options.clone,
    wake: alarm.wake,
  });
  return createController({
    name: "clustering",
    sources: [
      changesOf(caches.clusters),
      changesOf(caches.pods, { map: (pod) => clusterOf(pod).map(keyOf) }),
      changesOf(caches.statefulSets, { map: ownedBy(MySQLClusters) }),
      every(options.checkInterval, () => caches.clusters.cache.list().map(keyOf)),
      alarm.source,
    ],
    reconcile: (key, context) => clustering.reconcile(key, context),
    concurrency: options.concurrency,
    leadership: options.leadership,
    events,
    clock,
    logger,
    metrics,
  });
}

/** For what no watch tells of: heartbeats and work in the background. */
function createAlarm(): { readonly source: Source; readonly wake: (key: Key) => void } {
  let wake: ((key: Key) => void) | undefined;
  return {
    wake: (key) => wake?.(key),
    source: {
      start({ enqueue }) {
        wake = (key) => enqueue(key, "high");
        return () => void (wake = undefined);
      },
    },
  };
}
