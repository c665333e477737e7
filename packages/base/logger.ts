import { pino, type DestinationStream, type Logger as PinoLogger } from "pino";
import { describeError } from "./errors.ts";

export type LogLevel = "debug" | "info" | "warn" | "error";
export type LogFields = Readonly<Record<string, unknown>>;

/** What code logs with. Fields are data; the message is a constant sentence, so that log lines can be grouped. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  /** `fields.error` may be anything that was thrown: it is logged as its message, causes and code. */
  error(message: string, fields?: LogFields): void;
  /** A logger whose lines all carry `fields`. */
  with(fields: LogFields): Logger;
}

export interface LoggerOptions {
  /** Least severe level that is written. Default "info". */
  readonly level?: LogLevel;
  /** Where lines go. Default standard error. */
  readonly destination?: DestinationStream;
  readonly fields?: LogFields;
}

/** Names of fields whose values never reach a log line, at the top or one level down. */
const secretNames = ["password", "token", "secret", "authorization", "privateKey", "tls.key"];

/** JSON lines as Kubernetes users know them: `{"level":"info","ts":"2026-01-01T00:00:00.000Z","msg":"..."}`. */
export function createLogger(options: LoggerOptions = {}): Logger {
  const logger = pino(
    {
      level: options.level ?? "info",
      base: options.fields ?? null,
      timestamp: () => `,"ts":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: secretNames.flatMap((name) => [`["${name}"]`, `*["${name}"]`]),
        censor: "[redacted]",
      },
    },
    options.destination ?? pino.destination({ dest: 2, sync: true }),
  );
  return wrap(logger);
}

function wrap(logger: PinoLogger): Logger {
  const write =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}): void => {
      if (logger.isLevelEnabled(level)) logger[level](readable(fields), message);
    };
  return {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    with: (fields) => wrap(logger.child(readable(fields))),
  };
}

function readable(fields: LogFields): LogFields {
  if (!("error" in fields)) return fields;
  const { error, ...rest } = fields;
  const code = error instanceof Error && "code" in error ? { errorCode: error.code } : {};
  const stack = error instanceof Error && !("code" in error) ? { stack: error.stack } : {};
  return { ...rest, error: describeError(error), ...code, ...stack };
}
