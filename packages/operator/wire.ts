import { randomBytes } from "node:crypto";
import { eventComponent, fieldManager, leaseName, MySQLClusters } from "@moco-ts/api";
import type { Clock, Logger, Metrics } from "@moco-ts/base";
import {
  Applier,
  changesOf,
  connect,
  createController,
  createInformer,
  createManager,
  EventRecorder,
  guardClient,
  LeaderElection,
  ManagedCertificate,
  ownedBy,
  Secrets,
  type ClusterConfig,
  type KubeObject,
  type Manager,
} from "@moco-ts/kube";
import { clusterIndexes, createCaches, type Caches } from "./caches.ts";
import type { Config } from "./config.ts";
import { AgentAuthority } from "./reconciliation/certificates/authority.ts";
import { reconcile } from "./reconciliation/reconcile.ts";
import type { Tools } from "./reconciliation/tools.ts";

export interface Surroundings {
  readonly cluster: ClusterConfig;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
}

/** The Secret with which the controller calls agents, and with the authority that certifies them. */
const agentAuthoritySecret = "moco-controller-grpc";

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

  const secret = { namespace, name: agentAuthoritySecret };
  const authoritySecrets = createInformer(client, Secrets, {
    namespaces: [namespace],
    fieldSelector: `metadata.name=${agentAuthoritySecret}`,
    logger,
  });
  const agentCertificate = new ManagedCertificate({
    client: acting,
    secrets: authoritySecrets,
    secret,
    leaf: { commonName: "moco-controller", usages: ["client"] },
    // Running agents read their certificates once an hour.
    overlap: 2 * 3_600_000,
    clock,
    logger,
  });

  const tools: Tools = {
    client: acting,
    applier: new Applier({ client: acting, fieldManager, logger }),
    caches,
    config,
    authority: new AgentAuthority({ secrets: authoritySecrets, secret: `${namespace}/${agentAuthoritySecret}`, clock }),
    clock,
    randomBytes,
  };
  const controller = createController({
    name: "mysqlcluster",
    sources: clusterSources(caches),
    reconcile: (key, context) => reconcile(tools, key, context),
    concurrency: config.concurrency,
    leadership: election,
    events,
    logger,
    metrics,
  });

  return createManager({
    informers: [...Object.values(caches), authoritySecrets],
    components: [{ name: "agent certificates", run: (signal) => agentCertificate.run(signal) }, controller],
    election,
    events: [events],
    healthAddress: config.healthAddress,
    metricsAddress: config.metricsAddress,
    logger,
    metrics,
  });
}

/** Everything that a cluster's resources are made from, and the resources themselves. */
function clusterSources(caches: Caches) {
  const byIndex = (index: string) => (object: KubeObject) =>
    caches.clusters.cache
      .byIndex(index, `${object.metadata?.namespace}/${object.metadata?.name}`)
      .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  const owned = { map: ownedBy(MySQLClusters) };
  return [
    changesOf(caches.clusters),
    changesOf(caches.policies, { map: byIndex(clusterIndexes.backupPolicy) }),
    changesOf(caches.userConfigMaps, { map: byIndex(clusterIndexes.userConfigMap) }),
    changesOf(caches.statefulSets, owned),
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
