import { randomBytes, randomInt } from "node:crypto";
import { clusterKeyOf, eventComponent, fieldManager, leaseName, MySQLClusters, podHostName } from "@moco-ts/api";
import type { Clock, Logger, Metrics } from "@moco-ts/base";
import {
  Applier,
  changesOf,
  connect,
  createController,
  createManager,
  createWebhooks,
  EventRecorder,
  every,
  guardClient,
  keyOf,
  LeaderElection,
  ownedBy,
  parseAddress,
  type Client,
  type ClusterConfig,
  type Informer,
  type KubeObject,
  type Manager,
  type Secret,
  type Webhooks,
} from "@moco-ts/kube";
import { registerAdmission } from "./admission/webhooks.ts";
import { clusterIndexes, createCaches, informersOf, type Caches } from "./caches.ts";
import { createClusteringController } from "./clustering/create.ts";
import { ConnectedInstances } from "./clustering/instances/connected-instances.ts";
import { orderClone } from "./clustering/instances/clone-order.ts";
import type { Config } from "./config.ts";
import { agentCredentials } from "./reconciliation/certificates/ensure.ts";
import { createAgentCertificates } from "./reconciliation/certificates/create.ts";
import { createClusterMetrics } from "./metrics.ts";
import { clusterOf } from "./pods.ts";
import { reconcile } from "./reconciliation/reconcile.ts";
import { startChanged } from "./reconciliation/starting/problems.ts";
import type { Tools } from "./reconciliation/tools.ts";
import { createRolloutController } from "./rollout/create.ts";
import { clusterKeysOf } from "./volume/observe.ts";

export interface Surroundings {
  readonly cluster: ClusterConfig;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
}

const hour = 3_600_000;

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
    ...config,
    leadership: election,
    events,
    clusterMetrics: tools.metrics,
    clock,
    logger,
    metrics,
  });

  const clustering = createClusteringController({
    client: acting,
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

  const webhooks = createAdmission(config, client, caches, surroundings);

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

/** The Secret with the webhooks' certificate and the authority that signed it. */
const webhookSecret = "moco-webhook-keys";
const webhookService = "moco-webhook-service";

/** The webhooks, which every replica serves. None if their address is "0". */
function createAdmission(
  config: Config,
  client: Client,
  caches: Caches,
  { clock, logger, metrics }: Surroundings,
): Webhooks | undefined {
  const address = parseAddress(config.webhookAddress);
  if (address === undefined) return undefined;
  const { systemNamespace: namespace, certificateDirectory: directory } = config;
  const service = `${webhookService}.${namespace}.svc`;
  const webhooks = createWebhooks({
    client,
    certificate: directory
      ? { directory }
      : { managed: { namespace, name: webhookSecret }, dnsNames: [service, `${service}.cluster.local`] },
    trustedBy: {
      mutatingWebhookConfigurations: ["moco-mutating-webhook-configuration"],
      validatingWebhookConfigurations: ["moco-validating-webhook-configuration"],
    },
    ...address,
    clock,
    logger,
    metrics,
  });
  registerAdmission(webhooks.server, {
    readStorageClasses: () => caches.storageClasses.cache.list(),
    readClusters: (inNamespace) =>
      caches.clusters.cache.list().filter(({ metadata }) => metadata.namespace === inNamespace),
    randomInteger: randomInt,
  });
  return webhooks;
}

/** Everything that a cluster's resources are made from, and the resources themselves. */
function clusterSources(caches: Caches, authorities: readonly Informer<Secret>[]) {
  const all = (): string[] => caches.clusters.cache.list().map(keyOf);
  const byIndex = (index: string) => (object: KubeObject) =>
    caches.clusters.cache
      .byIndex(index, `${object.metadata?.namespace}/${object.metadata?.name}`)
      .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  const owned = { map: ownedBy(MySQLClusters) };
  return [
    changesOf(caches.clusters),
    // Certificates are renewed in time, though nothing else changes.
    every(hour, all),
    ...authorities.map((secrets) => changesOf(secrets, { map: all })),
    changesOf(caches.policies, { map: byIndex(clusterIndexes.backupPolicy) }),
    changesOf(caches.foreignConfigMaps, { map: byIndex(clusterIndexes.userConfigMap) }),
    changesOf(caches.statefulSets, owned),
    changesOf(caches.pods, { map: (pod) => clusterOf(pod).map(keyOf), when: startChanged }),
    changesOf(caches.claims, { map: clusterKeysOf }),
    changesOf(caches.recreations, owned),
    changesOf(caches.services, owned),
    changesOf(caches.secrets, owned),
    changesOf(caches.configMaps, owned),
    changesOf(caches.serviceAccounts, owned),
    changesOf(caches.podDisruptionBudgets, owned),
    changesOf(caches.cronJobs, owned),
    changesOf(caches.jobs, owned),
    changesOf(caches.roles, owned),
    changesOf(caches.roleBindings, owned),
  ];
}
