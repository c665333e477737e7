import { Command, InvalidArgumentError, Option } from "commander";
import { CodedError, parseDuration, type LogLevel } from "@moco-ts/base";

/** What the controller was told, read once. The one place that knows flags and environment variables. */
export interface Config {
  /** For what finds the API server by itself. */
  readonly environment: Environment;
  /** Where the controller runs: its Lease, and the Secrets that users must not see. */
  readonly systemNamespace: string;
  readonly leaderElectionId: string;
  readonly metricsAddress: string;
  readonly healthAddress: string;
  readonly webhookAddress: string;
  /** A certificate for the webhooks that somebody else looks after. Default: one where MOCO has it, or else our own. */
  readonly certificateDirectory: string | undefined;
  /** A certificate to call agents with that somebody else looks after, if it exists. Else the controller makes its own. */
  readonly agentCertificateDirectory: string | undefined;
  readonly images: Images;
  readonly claimSync: { readonly annotationKeys: readonly string[]; readonly labelKeys: readonly string[] };
  /** Milliseconds between regular checks of a cluster. */
  readonly checkInterval: number;
  readonly concurrency: number;
  readonly configMapHistoryLimit: number;
  /** Milliseconds between two steps of rolling updates, over all clusters. */
  readonly partitionUpdateInterval: number;
  /** Clusters whose Pods are updated at the same time; 0: as many as there are. */
  readonly maxConcurrentRollouts: number;
  readonly requestsPerSecond: number;
  readonly defaultSecurityContext: boolean;
  readonly logLevel: LogLevel;
}

export interface Images {
  /** For Pods of the newest reconciler version. */
  readonly agent: string;
  /** For Pods that are still at version 1, so that a new controller restarts nothing. */
  readonly agentV1: string;
  readonly backup: string;
  readonly fluentBit: string;
  readonly exporter: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the command line (without the program's name). Prints help or what is wrong, and exits, as commander does. */
export function readConfig(argv: readonly string[], environment: Environment = process.env): Config {
  const flags = createCommand()
    .parse([...argv], { from: "user" })
    .opts<Flags>();
  const systemNamespace = environment["POD_NAMESPACE"];
  if (!systemNamespace) {
    throw new CodedError(
      "POD_NAMESPACE_MISSING",
      "POD_NAMESPACE is not set: the Pod's own namespace, by the downward API",
    );
  }
  return {
    environment,
    systemNamespace,
    leaderElectionId: flags.leaderElectionId,
    metricsAddress: flags.metricsAddr,
    healthAddress: flags.healthProbeAddr,
    webhookAddress: flags.webhookAddr,
    certificateDirectory: flags.certDir || undefined,
    agentCertificateDirectory: flags.grpcCertDir || undefined,
    images: {
      agent: flags.agentImage,
      agentV1: flags.agentImageV1 ?? flags.agentImage,
      backup: flags.backupImage,
      fluentBit: flags.fluentBitImage,
      exporter: flags.mysqldExporterImage,
    },
    claimSync: { annotationKeys: flags.pvcSyncAnnotationKeys, labelKeys: flags.pvcSyncLabelKeys },
    checkInterval: flags.checkInterval,
    concurrency: flags.maxConcurrentReconciles,
    configMapHistoryLimit: flags.mysqlConfigmapHistoryLimit,
    partitionUpdateInterval: flags.partitionUpdateInterval,
    maxConcurrentRollouts: flags.maxConcurrentRollouts,
    requestsPerSecond: flags.apiserverQpsThrottle,
    defaultSecurityContext: !flags.disableDefaultSecurityContext,
    logLevel: logLevelOf(flags),
  };
}

interface Flags {
  metricsAddr: string;
  healthProbeAddr: string;
  webhookAddr: string;
  leaderElectionId: string;
  certDir: string;
  grpcCertDir: string;
  agentImage: string;
  agentImageV1?: string;
  backupImage: string;
  fluentBitImage: string;
  mysqldExporterImage: string;
  pvcSyncAnnotationKeys: string[];
  pvcSyncLabelKeys: string[];
  checkInterval: number;
  maxConcurrentReconciles: number;
  mysqlConfigmapHistoryLimit: number;
  partitionUpdateInterval: number;
  maxConcurrentRollouts: number;
  apiserverQpsThrottle: number;
  disableDefaultSecurityContext?: boolean;
  v?: number;
  zapDevel?: boolean;
  zapLogLevel?: string;
}

const registry = "ghcr.io/cybozu-go";

function createCommand(): Command {
  return new Command("moco-controller")
    .description("Makes MySQL clusters of MySQLCluster resources, and keeps them running.")
    .option("--metrics-addr <address>", "where /metrics is served", ":8080")
    .option("--health-probe-addr <address>", "where /healthz and /readyz are served", ":8081")
    .option("--webhook-addr <address>", "where admission webhooks are served", ":9443")
    .option("--leader-election-id <name>", "name of the Lease, in the controller's own namespace", "moco")
    .option("--cert-dir <directory>", "tls.crt and tls.key for the webhooks; made by the controller if empty", "")
    .option(
      "--grpc-cert-dir <directory>",
      "ca.crt, tls.crt and tls.key to call agents; made by the controller if there is no such directory",
      "/grpc-cert",
    )
    .option("--agent-image <image>", "image of moco-agent", `${registry}/moco-agent:0.16.0`)
    .option("--agent-image-v1 <image>", "image of moco-agent for clusters at reconciler version 1; the same by default")
    .option("--backup-image <image>", "image of moco-backup", `${registry}/moco-backup:0.36.0`)
    .option("--fluent-bit-image <image>", "image of the slow-log sidecar", `${registry}/moco/fluent-bit:5.0.2.1`)
    .option("--mysqld-exporter-image <image>", "image of the exporter", `${registry}/moco/mysqld_exporter:0.19.0.1`)
    .option("--pvc-sync-annotation-keys <keys>", "annotations of claim templates to copy to claims", list, [])
    .option("--pvc-sync-label-keys <keys>", "labels of claim templates to copy to claims", list, [])
    .option("--check-interval <duration>", "time between regular checks of a cluster", duration, 60_000)
    .option("--max-concurrent-reconciles <number>", "clusters that are worked on at the same time", positive, 8)
    .option("--mysql-configmap-history-limit <number>", "my.cnf ConfigMaps that are kept per cluster", positive, 10)
    .option("--partition-update-interval <duration>", "time between steps of rolling updates", duration, 0)
    .option("--max-concurrent-rollouts <number>", "clusters updated at the same time; 0: no limit", nonNegative, 0)
    .option("--apiserver-qps-throttle <number>", "requests per second to the API server", positive, 20)
    .option("--disable-default-security-context", "leave out the default user, group and fsGroup of Pods")
    .option("--v <number>", "log verbosity: 1 and more for debugging", nonNegative)
    .option("--zap-devel [boolean]", "log for debugging", boolean)
    .option("--zap-log-level <level>", "debug, info, warn, error, or a number for debugging")
    .addOption(ignored("--pprof-addr <address>"))
    .addOption(ignored("--zap-encoder <name>"))
    .addOption(ignored("--zap-stacktrace-level <level>"))
    .addOption(ignored("--zap-time-encoding <name>"));
}

/** Flags of today's controller that have no meaning here, so that Deployments go on working. */
function ignored(flags: string): Option {
  return new Option(flags, "accepted and ignored").hideHelp();
}

function logLevelOf({ v = 0, zapDevel, zapLogLevel }: Flags): LogLevel {
  if (zapLogLevel === "debug" || zapLogLevel === "info" || zapLogLevel === "warn" || zapLogLevel === "error") {
    return zapLogLevel;
  }
  return v > 0 || zapDevel || Number(zapLogLevel) > 0 ? "debug" : "info";
}

function list(text: string, previous: readonly string[]): string[] {
  const keys = text.split(",").map((key) => key.trim());
  return [...previous, ...keys.filter((key) => key !== "")];
}

function duration(text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
}

function nonNegative(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("not a whole number");
  return Number(text);
}

function positive(text: string): number {
  const value = nonNegative(text);
  if (value === 0) throw new InvalidArgumentError("must be at least 1");
  return value;
}

function boolean(text: string): boolean {
  return text !== "false";
}
