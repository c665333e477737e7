import { parseArgs } from "node:util";
import { allMysqlUsers, ordinalOf } from "@moco-ts/api";
import { CodedError, describeError, parseDuration } from "@moco-ts/base";
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

/** Flags with their defaults and meanings. */
const flags = {
  address: [":9080", "where gRPC is served"],
  "probe-address": [":9081", "where /healthz and /readyz are served"],
  "metrics-address": [":8080", "where /metrics is served"],
  "max-idle-time": ["30s", "after which an unused connection to mysqld is closed"],
  "connection-timeout": ["5s", "for connections to mysqld"],
  "read-timeout": ["30s", "for statements"],
  "log-rotation-schedule": ["*/5 * * * *", "when the slow query log is rotated"],
  "log-rotation-size": ["0", "bytes at which the slow query log is rotated too; 0: at no size"],
  "max-delay": ["1m", "of a replica that is still ready; 0: any"],
  "transaction-queueing-wait": ["1m", "for the first transaction after mysqld's start"],
  "queueing-wait-ends-early": ["false", "end that wait when the source proves to have nothing to send"],
  "health-timeout": ["800ms", "of /healthz; less than the kubelet's"],
  "ready-timeout": ["800ms", "of /readyz; less than the kubelet's"],
  "socket-path": [podPaths.socket, "mysqld's socket"],
  "grpc-cert-dir": [podPaths.certificates, "ca.crt, tls.crt and tls.key"],
  "mysqld-localhost": ["false", "find mysqld at localhost instead of the Pod's name"],
} as const satisfies Record<string, readonly [byDefault: string, meaning: string]>;

type Flag = keyof typeof flags;

const booleans: readonly Flag[] = ["queueing-wait-ends-early", "mysqld-localhost"];

/** What `--help` prints. */
export const usage = [
  "moco-agent: prepares and watches the mysqld beside it, clones into it, and rotates its slow query log.",
  ...Object.entries(flags).map(([name, [byDefault, meaning]]) => `  --${name}: ${meaning} (default ${byDefault})`),
].join("\n");

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the command line (without the program's name) and the environment. Throws what a person can act on. */
export function readConfig(argv: readonly string[], environment: Environment = process.env): Config {
  const given = readFlags(argv);
  const text = (flag: Flag): string => given[flag] ?? flags[flag][0];
  const read = <T>(flag: Flag, parse: (text: string) => T): T => {
    try {
      return parse(text(flag));
    } catch (error) {
      throw new CodedError("FLAG_INVALID", `--${flag}: ${describeError(error)}`);
    }
  };
  const required = (name: string): string => {
    const value = environment[name];
    if (!value) throw new CodedError("ENVIRONMENT_INCOMPLETE", `environment variable ${name} is not set`);
    return value;
  };
  const podName = required("POD_NAME");
  return {
    podName,
    clusterName: required("CLUSTER_NAME"),
    index: ordinalOf(podName) ?? 0,
    passwords: Object.fromEntries(allMysqlUsers.map(({ name, secretKey }) => [name, required(secretKey)])),
    address: text("address"),
    probeAddress: text("probe-address"),
    metricsAddress: text("metrics-address"),
    maxIdleTime: read("max-idle-time", parseDuration),
    connectionTimeout: read("connection-timeout", parseDuration),
    readTimeout: read("read-timeout", parseDuration),
    logRotationSchedule: text("log-rotation-schedule"),
    logRotationSize: read("log-rotation-size", bytes),
    maxDelay: read("max-delay", parseDuration),
    transactionQueueingWait: read("transaction-queueing-wait", parseDuration),
    queueingWaitEndsEarly: read("queueing-wait-ends-early", boolean),
    healthTimeout: read("health-timeout", parseDuration),
    readyTimeout: read("ready-timeout", parseDuration),
    socketPath: text("socket-path"),
    certificateDirectory: text("grpc-cert-dir"),
    mysqldHost: read("mysqld-localhost", boolean) ? "localhost" : podName,
  };
}

/** As Go's flags: a boolean's value comes after an equals sign or not at all, and further words are let pass. */
function readFlags(argv: readonly string[]): Partial<Record<Flag, string>> {
  const args = argv.map((word) => (booleans.some((flag) => word === `--${flag}`) ? `${word}=true` : word));
  const options = Object.fromEntries(Object.keys(flags).map((name) => [name, { type: "string" as const }]));
  try {
    return parseArgs({ args, options, allowPositionals: true }).values;
  } catch (error) {
    throw new CodedError("FLAG_INVALID", describeError(error));
  }
}

function bytes(text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`not a number of bytes: ${text}`);
  return Number(text);
}

function boolean(text: string): boolean {
  if (/^(1|t|true)$/i.test(text)) return true;
  if (/^(0|f|false)$/i.test(text)) return false;
  throw new Error(`neither true nor false: ${text}`);
}
