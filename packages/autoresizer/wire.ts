import type { Clock, Logger, Metrics } from "@moco-ts/base";
import {
  connect,
  createController,
  createManager,
  createWebhooks,
  done,
  EventRecorder,
  every,
  guardClient,
  LeaderElection,
  parseAddress,
  type Client,
  type ClusterConfig,
  type Informer,
  type Manager,
  type StorageClass,
  type Webhooks,
} from "@moco-ts/kube";
import { createClaimCache, createNodeCache, createStorageClassCache } from "./caches.ts";
import type { Config } from "./config.ts";
import { explain, readNodes } from "./explain/explain.ts";
import { AutoresizerMetrics } from "./metrics.ts";
import { Reporter } from "./rounds/reporter.ts";
import { Rounds } from "./rounds/rounds.ts";
import { KubeletUsage } from "./usage/kubelet.ts";
import { PrometheusUsage } from "./usage/prometheus.ts";
import type { UsageSource } from "./usage/usage.ts";
import { registerWebhook } from "./webhook/webhook.ts";

export interface Surroundings {
  readonly cluster: ClusterConfig;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
}

const program = "pvc-autoresizer";
/** Also that of the program which this one takes the place of: the two never act together. */
const leaseName = "49e22f61.topolvm.io";
const shutdownDeadline = 10_000;
/** At least so many milliseconds for a round, however short the interval is. */
const roundDeadline = 5 * 60_000;

/** Makes the whole program: the one place where its parts meet. */
export function createAutoresizer(config: Config, surroundings: Surroundings): Manager {
  const { cluster, logger, metrics, clock } = surroundings;
  const client = connect(cluster, { userAgent: program, logger, metrics });
  const election = new LeaderElection({
    client: connect(cluster, { userAgent: `${program}/lease` }),
    namespace: config.systemNamespace ?? cluster.namespace,
    name: leaseName,
    logger,
    metrics,
  });
  const acting = guardClient(client, election);
  const events = new EventRecorder({ client: acting, component: program, api: "events.k8s.io", logger, metrics });
  const claims = createClaimCache(client, config.namespaces, { logger, metrics });
  const storageClasses = createStorageClassCache(client, { logger, metrics });
  // Of its own: nodes that don't answer must not keep other requests waiting.
  const statistics = connect(cluster, { userAgent: `${program}/statistics`, qps: Infinity, logger, metrics });
  const nodes = createNodeCache(statistics, { logger, metrics });
  const source = createUsageSource(config, surroundings, statistics, () =>
    nodes.cache.list().map(({ metadata }) => metadata?.name ?? ""),
  );

  const autoresizerMetrics = new AutoresizerMetrics(metrics);
  const rounds = new Rounds({
    client: acting,
    claims,
    storageClasses,
    source,
    rules: config.rules,
    reporter: new Reporter({ events, metrics: autoresizerMetrics, logger, clock }),
    metrics: autoresizerMetrics,
    metricsResetSize: config.metricsResetSize,
    dryRun: config.dryRun,
    clock,
    logger,
  });
  const controller = createController({
    name: program,
    sources: [every(config.interval, () => ["round"])],
    reconcile: async (_key, { signal }) => {
      await rounds.run(signal);
      return done;
    },
    reconcileDeadline: Math.max(config.interval, roundDeadline),
    leadership: election,
    logger,
    metrics,
  });

  const webhooks = createAdmission(config, storageClasses, surroundings);

  return createManager({
    servers: webhooks === undefined ? [] : [webhooks],
    // Who reads from Prometheus need not see nodes.
    informers: [claims, storageClasses, ...(config.usage.source === "kubelet" ? [nodes] : [])],
    components: [controller],
    election,
    events: [events],
    healthAddress: config.healthAddress,
    metricsAddress: config.metricsAddress,
    shutdownDeadline,
    logger,
    metrics,
  });
}

/** The webhook, which every replica serves, if it shall be served. */
function createAdmission(
  { webhook, namespaces, dryRun, systemNamespace }: Config,
  storageClasses: Informer<StorageClass>,
  { cluster, clock, logger, metrics }: Surroundings,
): Webhooks | undefined {
  const address = webhook && parseAddress(webhook.address);
  if (webhook === undefined || address === undefined) return undefined;
  const { certificateDirectory: directory, service, configuration } = webhook;
  // Of its own, without a limit on its rate: whoever creates a hundred claims at once waits for as many answers.
  const client = connect(cluster, { userAgent: `${program}/webhook`, qps: Infinity, logger, metrics });
  const namespace = systemNamespace ?? cluster.namespace;
  const host = `${service}.${namespace}.svc`;
  const webhooks = createWebhooks({
    client,
    certificate: directory
      ? { directory }
      : { managed: { namespace, name: `${service}-webhook-keys` }, dnsNames: [host, `${host}.cluster.local`] },
    // Who gives us a certificate tells the API server whom to trust.
    trustedBy: directory ? {} : { mutatingWebhookConfigurations: [configuration] },
    ...address,
    clock,
    logger,
    metrics,
  });
  const storageClass = (name: string): StorageClass | undefined => storageClasses.cache.get(name);
  registerWebhook(webhooks.server, { client, storageClass, namespaces, dryRun, logger });
  return webhooks;
}

/** What a person is told of the claim that the command line names. */
export async function explainClaim(config: Config, surroundings: Surroundings, signal: AbortSignal): Promise<string> {
  const client = connect(surroundings.cluster, { userAgent: `${program}/explain` });
  try {
    const nodes = config.usage.source === "kubelet" ? await readNodes(client, signal) : [];
    const source = createUsageSource(config, surroundings, client, () => nodes);
    const options = { client, source, rules: config.rules, now: surroundings.clock.now() };
    return await explain(config.explain!, options, signal);
  } finally {
    await client.close();
  }
}

function createUsageSource(
  { usage }: Config,
  { clock }: Surroundings,
  client: Client,
  nodes: () => readonly string[],
): UsageSource {
  const { timeout } = usage;
  return usage.source === "prometheus"
    ? new PrometheusUsage({ config: usage.prometheus, timeout, clock })
    : new KubeletUsage({ client, nodes, timeout });
}
