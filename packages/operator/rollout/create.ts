import { MySQLClusters } from "@moco-ts/api";
import type { Clock, Logger, Metrics } from "@moco-ts/base";
import {
  Applier,
  changesOf,
  createController,
  keyOf,
  ownedBy,
  type Client,
  type Controller,
  type EventRecorder,
  type Key,
  type Leadership,
} from "@moco-ts/kube";
import type { Caches } from "../caches.ts";
import type { ClusterMetrics } from "../metrics.ts";
import { clusterOf } from "../pods.ts";
import type { Announcements } from "./announcements.ts";
import { isRolling } from "./decide.ts";
import { observe, snapshotOf } from "./observe.ts";
import { Pace } from "./pace.ts";
import { rolloutManager } from "./partition.ts";
import { reconcile } from "./rollout.ts";

export interface RolloutControllerOptions {
  /** Writes only while this replica leads. */
  readonly client: Client;
  readonly caches: Caches;
  /** Changes of StatefulSets that are about to be made. */
  readonly announcements: Announcements;
  /** Milliseconds between two members that are taken down, over all clusters. */
  readonly partitionUpdateInterval: number;
  /** Clusters that are updated at the same time; 0: as many as there are. */
  readonly maxConcurrentRollouts: number;
  readonly concurrency: number;
  readonly leadership: Leadership;
  readonly events: EventRecorder;
  readonly clusterMetrics: ClusterMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** The controller of rolling updates. */
export function createRolloutController(options: RolloutControllerOptions): Controller {
  const { client, caches, announcements, clock, logger, metrics } = options;
  const pace = new Pace({
    interval: options.partitionUpdateInterval,
    budget: options.maxConcurrentRollouts,
    rolling: () => rollingClusters(caches, clock.now()),
    wake: (key) => controller.enqueue(key),
    clock,
  });
  const applier = new Applier({ client, fieldManager: rolloutManager, logger });
  const tools = { client, caches, applier, pace, announcements, metrics: options.clusterMetrics, clock };
  const controller = createController({
    name: "rollout",
    sources: [
      changesOf(caches.clusters),
      changesOf(caches.statefulSets, { map: ownedBy(MySQLClusters) }),
      changesOf(caches.pods, { map: (pod) => clusterOf(pod).map(keyOf) }),
      announcements,
    ],
    reconcile: (key, context) => reconcile(tools, key, context),
    concurrency: options.concurrency,
    leadership: options.leadership,
    events: options.events,
    clock,
    logger,
    metrics,
  });
  return controller;
}

function rollingClusters(caches: Caches, now: number): Key[] {
  return caches.clusters.cache
    .list()
    .map(keyOf)
    .filter((key) => {
      const observed = observe(caches, key);
      return observed !== undefined && isRolling(snapshotOf(observed, now));
    });
}
