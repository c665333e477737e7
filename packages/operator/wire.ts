import { randomBytes, randomInt } from "node:crypto";
import { clusterKeyOf, eventComponent, fieldManager, leaseName, podHostName } from "@moco-ts/api";
import type { Clock, Logger, Metrics } from "@moco-ts/base";
import {
  Applier,
  connect,
  createController,
  createManager,
  EventRecorder,
  guardClient,
  LeaderElection,
  type ClusterConfig,
  type Manager,
} from "@moco-ts/kube";
import { createAdmission } from "./admission/create.ts";
import { createCaches, informersOf } from "./caches.ts";
import { clusteringManager } from "./clustering/status.ts";
import { createClusteringController } from "./clustering/create.ts";
import { ConnectedInstances } from "./clustering/instances/connected-instances.ts";
import { orderClone } from "./clustering/instances/clone-order.ts";
import type { Config } from "./config.ts";
import { agentCredentials } from "./reconciliation/certificates/ensure.ts";
import { createAgentCertificates } from "./reconciliation/certificates/create.ts";
import { createClusterMetrics } from "./metrics.ts";
import { reconcile } from "./reconciliation/reconcile.ts";
import { clusterSources } from "./reconciliation/sources.ts";
import type { Tools } from "./reconciliation/tools.ts";
import { Announcements } from "./rollout/announcements.ts";
import { createRolloutController } from "./rollout/create.ts";

export interface Surroundings {
  readonly cluster: ClusterConfig;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
}

/** Makes the whole controller: the one place where its parts meet. */
export function createOperator(config: Config, surroundings: Surroundings): Manager {
  const { cluster, logger, metrics, clock } = surroundings;
  const { systemNamespace: namespace, requestsPerSecond: qps } = config;
  const client = connect(cluster, { userAgent: fieldManager, qps, burst: qps * 1.5, logger, metrics });
  const election = new LeaderElection({
    client: connect(cluster, { userAgent: `${fieldManager}/lease` }),
    namespace,
    name: config.leaderElectionId || leaseName,
    logger,
    metrics,
  });
  const acting = guardClient(client, election);
  const caches = createCaches(client, { logger, metrics });
  const events = new EventRecorder({ client: acting, component: eventComponent, logger, metrics });

  const agentCertificates = createAgentCertificates({
    client,
    acting,
    namespace,
    directory: config.agentCertificateDirectory,
    clock,
    logger,
  });
  const tools: Tools = {
    client: acting,
    applier: new Applier({ client: acting, fieldManager, logger }),
    caches,
    config,
    authority: agentCertificates.authority,
    announcements: new Announcements(),
    clock,
    events,
    metrics: createClusterMetrics(metrics),
    logger,
    randomBytes,
    randomInteger: randomInt,
  };
  const controller = createController({
    name: "mysqlcluster",
    sources: clusterSources(caches, agentCertificates.informers),
    reconcile: (key, context) => reconcile(tools, key, context),
    concurrency: config.concurrency,
    leadership: election,
    events,
    logger,
    metrics,
  });

  const rollout = createRolloutController({
    client: acting,
    caches,
    announcements: tools.announcements,
    ...config,
    leadership: election,
    events,
    clusterMetrics: tools.metrics,
    clock,
    logger,
    metrics,
  });

  const clustering = createClusteringController({
    // It asks for little, and writers wait for it: not behind what hundreds of clusters ask for at a start.
    client: guardClient(connect(cluster, { userAgent: clusteringManager, logger }), election),
    caches,
    ...config,
    leadership: election,
    events,
    clusterMetrics: tools.metrics,
    clock,
    logger,
    metrics,
    createInstances: (changed) => new ConnectedInstances({ changed, mayChange: () => election.assertHeld(), clock }),
    clone: async (mysqlCluster, order) => {
      const credentials = await agentCredentials(tools, mysqlCluster);
      const serverName = podHostName(clusterKeyOf(mysqlCluster), order.ordinal);
      await orderClone({ serverName, credentials, order }, election.lost);
    },
  });

  const webhooks = createAdmission(config, { client, caches, clock, logger, metrics });

  return createManager({
    servers: webhooks === undefined ? [] : [webhooks],
    informers: [...informersOf(caches), ...agentCertificates.informers],
    components: [agentCertificates.component, clustering, controller, rollout],
    election,
    events: [events],
    healthAddress: config.healthAddress,
    metricsAddress: config.metricsAddress,
    logger,
    metrics,
  });
}
