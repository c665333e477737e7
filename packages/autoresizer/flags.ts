import { Command, InvalidArgumentError, Option } from "commander";
import { parseDuration } from "@moco-ts/base";

/** Flags as they were given, with defaults. */
export interface Flags {
  certDir: string;
  webhookAddr: string;
  metricsAddr: string;
  healthAddr: string;
  namespaces: string[];
  interval: number;
  useK8sMetricsApi: boolean;
  prometheusUrl: string;
  prometheusBearerTokenFile?: string;
  prometheusUsername?: string;
  prometheusPasswordFile?: string;
  prometheusCaFile?: string;
  prometheusCertFile?: string;
  prometheusKeyFile?: string;
  prometheusServerName?: string;
  prometheusInsecureSkipVerify: boolean;
  prometheusHeader: string[];
  prometheusHeadersFile?: string;
  metricsTimeout: number;
  noAnnotationCheck: boolean;
  development: boolean;
  pvcMutatingWebhookEnabled: boolean;
  webhookService: string;
  webhookConfiguration: string;
  metricsResetSizeThreshold: number;
  cooldown: number;
  resizeTimeout: number;
  resizeRetryInterval: number;
  dryRun: boolean;
  zapDevel?: boolean;
  zapLogLevel?: string;
}

/** Prints help or what is wrong, and exits, as commander does. `words` are what is not a flag. */
export function parseFlags(argv: readonly string[]): { flags: Flags; words: readonly string[] } {
  const command = createCommand();
  // As in Go, a word after a boolean flag is not its value.
  const booleans = new Set(command.options.filter(({ presetArg }) => presetArg === "true").map(({ long }) => long));
  command.parse(
    argv.map((word) => (booleans.has(word) ? `${word}=true` : word)),
    { from: "user" },
  );
  return { flags: command.opts<Flags>(), words: command.args };
}

const minute = 60_000;

function createCommand(): Command {
  const command = new Command("pvc-autoresizer")
    .description("Keeps volumes from filling up, and gives new ones the size of their group.")
    .usage("[flags]\n       pvc-autoresizer explain NAMESPACE/PVC [flags]")
    .argument("[words...]")
    .option("--interval <duration>", "time between two rounds", positiveDuration, minute)
    .option("--namespaces <names>", "namespaces whose claims are managed; all if none", list, [])
    .addOption(boolean("--no-annotation-check", "manage claims of StorageClasses without the annotation as well"))
    .addOption(boolean("--use-k8s-metrics-api", "read statistics from the kubelets, through the API server"))
    .option("--prometheus-url <url>", "read statistics from Prometheus", "")
    .option("--prometheus-bearer-token-file <file>", "token for Prometheus; read again when it changes")
    .option("--prometheus-username <name>", "user of Prometheus")
    .option("--prometheus-password-file <file>", "the user's password")
    .option("--prometheus-ca-file <file>", "authorities that Prometheus' certificate may be signed by")
    .option("--prometheus-cert-file <file>", "client certificate for Prometheus")
    .option("--prometheus-key-file <file>", "its private key")
    .option("--prometheus-server-name <name>", "name in Prometheus' certificate, if it is not the host")
    .addOption(boolean("--prometheus-insecure-skip-verify", "accept any certificate of Prometheus"))
    .option("--prometheus-header <header>", 'header for Prometheus, such as "X-Scope-OrgID: one"; repeat it', add, [])
    .option("--prometheus-headers-file <file>", "more of them, one in a line: for secret ones")
    .option(
      "--metrics-timeout <duration>",
      "time for one answer of a kubelet or of Prometheus",
      positiveDuration,
      10_000,
    )
    .option("--cooldown <duration>", "time between two resizes of a claim that does not say otherwise", duration, 0)
    .option("--resize-timeout <duration>", "time after which an unfinished resize is reported", duration, 15 * minute)
    .option("--resize-retry-interval <duration>", "time after which it is tried again", positiveDuration, 60 * minute)
    .addOption(boolean("--dry-run", "only say what would be done"))
    .option("--metrics-addr <address>", "where /metrics is served", ":8080")
    .option("--health-addr <address>", "where /healthz and /readyz are served", ":8081")
    .option("--webhook-addr <address>", "where the admission webhook is served", ":9443")
    .addOption(boolean("--pvc-mutating-webhook-enabled", "serve the webhook that sizes new claims", true))
    .option("--cert-dir <directory>", "tls.crt and tls.key for the webhook; our own certificate if empty", "/certs")
    .option("--webhook-service <name>", "Service of the webhook, for our own certificate", "pvc-autoresizer-controller")
    .option(
      "--webhook-configuration <name>",
      "MutatingWebhookConfiguration that shall trust our own certificate",
      "pvc-autoresizer-mutating-webhook-configuration",
    )
    .option(
      "--metrics-reset-size-threshold <bytes>",
      "size of /metrics beyond which counters of claims start anew; 0 for never",
      wholeNumber,
      0,
    )
    .addOption(boolean("--development", "log for debugging"))
    .option("--zap-log-level <level>", "debug, info, warn, error, or a number for debugging")
    .addOption(boolean("--zap-devel", "log for debugging"));
  for (const name of ["encoder", "stacktrace-level", "time-encoding"]) {
    command.addOption(new Option(`--zap-${name} <value>`, "accepted and ignored").hideHelp());
  }
  return command;
}

/** As Go's flags: `--flag`, `--flag=true`, `--flag=false`. */
function boolean(flag: string, description: string, otherwise = false): Option {
  const option = new Option(`${flag} [boolean]`, description)
    .default(otherwise)
    .preset("true")
    .argParser((text) => {
      if (/^(1|t|true)$/i.test(text)) return true;
      if (/^(0|f|false)$/i.test(text)) return false;
      throw new InvalidArgumentError("neither true nor false");
    });
  // To commander a flag that begins with --no- is the opposite of another one.
  option.negate = false;
  return option;
}

function list(text: string, previous: readonly string[]): string[] {
  const names = text.split(",").map((name) => name.trim());
  return [...previous, ...names.filter((name) => name !== "")];
}

function add(text: string, previous: readonly string[]): string[] {
  return [...previous, text];
}

function duration(text: string): number {
  let milliseconds: number;
  try {
    milliseconds = parseDuration(text);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
  if (milliseconds < 0) throw new InvalidArgumentError("must not be negative");
  return milliseconds;
}

function positiveDuration(text: string): number {
  const milliseconds = duration(text);
  if (milliseconds === 0) throw new InvalidArgumentError("must be longer than nothing");
  return milliseconds;
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("not a whole number");
  return Number(text);
}
