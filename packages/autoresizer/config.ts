import { CodedError, type LogLevel } from "@moco-ts/base";
import type { Rules } from "./decision/decide.ts";
import { parseFlags, type Flags } from "./flags.ts";
import type { PrometheusConfig } from "./usage/prometheus.ts";

/** What the program was told, read once. The one place that knows flags and environment variables. */
export interface Config {
  /** For what finds the API server by itself. */
  readonly environment: Environment;
  /** Where the Lease and the webhook's Secret are. Default: the namespace of the Pod's service account. */
  readonly systemNamespace: string | undefined;
  /** Namespaces whose claims are managed. Empty: all. */
  readonly namespaces: readonly string[];
  readonly metricsAddress: string;
  readonly healthAddress: string;
  /** Undefined: no webhook. */
  readonly webhook: WebhookConfig | undefined;
  /** Milliseconds between two rounds. */
  readonly interval: number;
  readonly usage: UsageConfig;
  readonly rules: Rules;
  readonly dryRun: boolean;
  /** Bytes of /metrics beyond which the counters of claims start anew. 0: never. */
  readonly metricsResetSize: number;
  readonly logLevel: LogLevel;
  /** Explain one claim, and end. */
  readonly explain: { readonly namespace: string; readonly name: string } | undefined;
}

export type UsageConfig = {
  /** Milliseconds for one answer. */
  readonly timeout: number;
} & ({ readonly source: "kubelet" } | { readonly source: "prometheus"; readonly prometheus: PrometheusConfig });

export interface WebhookConfig {
  readonly address: string;
  /** A certificate that somebody else looks after. Undefined: we make our own. */
  readonly certificateDirectory: string | undefined;
  /** Where the API server finds us, for a certificate of our own. */
  readonly service: string;
  /** The MutatingWebhookConfiguration that trusts a certificate of our own. */
  readonly configuration: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the command line (without the program's name). Prints help or what is wrong, and exits, as commander does. */
export function readConfig(argv: readonly string[], environment: Environment = process.env): Config {
  const { flags, words } = parseFlags(argv);
  const explain = explainOf(words);
  return {
    environment,
    systemNamespace: environment["POD_NAMESPACE"],
    namespaces: flags.namespaces,
    metricsAddress: flags.metricsAddr,
    healthAddress: flags.healthAddr,
    webhook: flags.pvcMutatingWebhookEnabled
      ? {
          address: flags.webhookAddr,
          certificateDirectory: flags.certDir || undefined,
          service: flags.webhookService,
          configuration: flags.webhookConfiguration,
        }
      : undefined,
    interval: flags.interval,
    usage: usageOf(flags, explain !== undefined),
    rules: {
      needEnabled: !flags.noAnnotationCheck,
      cooldown: flags.cooldown,
      resizeTimeout: flags.resizeTimeout,
      retryAfter: flags.resizeRetryInterval,
    },
    dryRun: flags.dryRun,
    metricsResetSize: flags.metricsResetSizeThreshold,
    logLevel: logLevelOf(flags),
    explain,
  };
}

/** The kubelets go before Prometheus. A person who asks for an explanation need not repeat the flags of the program. */
function usageOf(flags: Flags, isExplaining: boolean): UsageConfig {
  const { metricsTimeout: timeout, prometheusUrl: url } = flags;
  if (flags.useK8sMetricsApi || (isExplaining && url === "")) return { source: "kubelet", timeout };
  if (url === "") {
    throw new CodedError("NO_SOURCE", "enable use-k8s-metrics-api or provide prometheus-url");
  }
  return { source: "prometheus", timeout, prometheus: prometheusOf(url, flags) };
}

function prometheusOf(text: string, flags: Flags): PrometheusConfig {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new CodedError("PROMETHEUS_URL_INVALID", "--prometheus-url is not an http or https URL");
  }
  const { prometheusUsername: username = decodeURIComponent(url.username) } = flags;
  const password = decodeURIComponent(url.password);
  url.username = "";
  url.password = "";
  if (Boolean(flags.prometheusCertFile) !== Boolean(flags.prometheusKeyFile)) {
    throw new CodedError("PROMETHEUS_KEY_MISSING", "--prometheus-cert-file and --prometheus-key-file go together");
  }
  return {
    url,
    bearerTokenFile: flags.prometheusBearerTokenFile,
    basic: username === "" ? undefined : { username, password, passwordFile: flags.prometheusPasswordFile },
    caFile: flags.prometheusCaFile,
    certificateFile: flags.prometheusCertFile,
    keyFile: flags.prometheusKeyFile,
    serverName: flags.prometheusServerName,
    insecureSkipVerify: flags.prometheusInsecureSkipVerify,
    headers: flags.prometheusHeader,
    headersFile: flags.prometheusHeadersFile,
  };
}

function explainOf(words: readonly string[]): Config["explain"] {
  if (words.length === 0) return undefined;
  const [command, claim = "", ...others] = words;
  const [namespace, name, ...rest] = claim.split("/");
  if (command !== "explain" || !namespace || !name || rest.length > 0 || others.length > 0) {
    throw new CodedError("COMMAND_UNKNOWN", `not a command: ${words.join(" ")} (there is: explain NAMESPACE/PVC)`);
  }
  return { namespace, name };
}

function logLevelOf({ development, zapDevel, zapLogLevel }: Flags): LogLevel {
  if (zapLogLevel === "debug" || zapLogLevel === "info" || zapLogLevel === "warn" || zapLogLevel === "error") {
    return zapLogLevel;
  }
  return development || zapDevel || Number(zapLogLevel) > 0 ? "debug" : "info";
}
