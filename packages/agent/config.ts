import { Command, InvalidArgumentError } from "commander";
import { allMysqlUsers, ordinalOf } from "@moco-ts/api";
import { CodedError, parseDuration } from "@moco-ts/base";
import { podPaths, type Passwords } from "@moco-ts/mysql";

/** What the agent was told, read once. Durations are in milliseconds. */
export interface Config {
  readonly podName: string;
  readonly clusterName: string;
  /** The instance's number. */
  readonly index: number;
  readonly passwords: Passwords;
  readonly address: string;
  readonly probeAddress: string;
  readonly metricsAddress: string;
  readonly maxIdleTime: number;
  readonly connectionTimeout: number;
  readonly readTimeout: number;
  readonly logRotationSchedule: string;
  /** Bytes; 0 is off. */
  readonly logRotationSize: number;
  /** 0 accepts any. */
  readonly maxDelay: number;
  readonly transactionQueueingWait: number;
  readonly queueingWaitEndsEarly: boolean;
  readonly healthTimeout: number;
  readonly readyTimeout: number;
  readonly socketPath: string;
  readonly certificateDirectory: string;
  /** Where mysqld's admin port is. */
  readonly mysqldHost: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

interface Flags extends Omit<Config, "certificateDirectory"> {
  readonly grpcCertDir: string;
  readonly mysqldLocalhost: boolean;
}

/** Reads the command line (without the program's name). Prints help or what is wrong, and exits, as commander does. */
export function readConfig(argv: readonly string[], environment: Environment = process.env): Config {
  const { grpcCertDir, mysqldLocalhost, ...flags } = createCommand()
    .parse([...argv], { from: "user" })
    .opts<Flags>();
  const required = (name: string): string => {
    const value = environment[name];
    if (!value) throw new CodedError("ENVIRONMENT_INCOMPLETE", `environment variable ${name} is not set`);
    return value;
  };
  const podName = required("POD_NAME");
  return {
    ...flags,
    podName,
    clusterName: required("CLUSTER_NAME"),
    index: ordinalOf(podName) ?? 0,
    passwords: Object.fromEntries(allMysqlUsers.map(({ name, secretKey }) => [name, required(secretKey)])),
    certificateDirectory: grpcCertDir,
    mysqldHost: mysqldLocalhost ? "localhost" : podName,
  };
}

function createCommand(): Command {
  return (
    new Command("moco-agent")
      .description("Prepares and watches the mysqld beside it, clones into it, and rotates its slow query log.")
      .option("--address <address>", "where gRPC is served", ":9080")
      .option("--probe-address <address>", "where /healthz and /readyz are served", ":9081")
      .option("--metrics-address <address>", "where /metrics is served", ":8080")
      .option("--max-idle-time <duration>", "after which an unused connection to mysqld is closed", duration, 30_000)
      .option("--connection-timeout <duration>", "for connections to mysqld", duration, 5_000)
      .option("--read-timeout <duration>", "for statements", duration, 30_000)
      .option("--log-rotation-schedule <cron>", "when the slow query log is rotated", "*/5 * * * *")
      .option("--log-rotation-size <bytes>", "at which the slow query log is rotated; 0: at no size", bytes, 0)
      .option("--max-delay <duration>", "of a replica that is still ready; 0: any", duration, 60_000)
      .option("--transaction-queueing-wait <duration>", "for a replica's first transaction", duration, 60_000)
      .option(
        "--queueing-wait-ends-early [boolean]",
        "end that wait when the source proves to have nothing to send",
        boolean,
        false,
      )
      .option("--health-timeout <duration>", "of /healthz; less than the kubelet's", duration, 900)
      .option("--ready-timeout <duration>", "of /readyz; less than the kubelet's", duration, 900)
      .option("--socket-path <file>", "mysqld's socket", podPaths.socket)
      .option("--grpc-cert-dir <directory>", "ca.crt, tls.crt and tls.key", podPaths.certificates)
      .option("--mysqld-localhost [boolean]", "find mysqld at localhost instead of the Pod's name", boolean, false)
      // Go's flags take a boolean's value only after an equals sign; what follows otherwise is an argument.
      .allowExcessArguments()
  );
}

function duration(text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
}

function bytes(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("not a number of bytes");
  return Number(text);
}

function boolean(text: string): boolean {
  if (/^(1|t|true)$/i.test(text)) return true;
  if (/^(0|f|false)$/i.test(text)) return false;
  throw new InvalidArgumentError("neither true nor false");
}
