import { PassThrough, Writable } from "node:stream";
import { containerNames } from "@moco-ts/api";
import { CodedError, describeError, toError, withDeadline, type Clock } from "@moco-ts/base";
import { hasReason, type ObjectKey, type PodStreams } from "@moco-ts/kube";
import { mysqlCommand, question } from "./query.ts";
import { reportOf, type InstanceReport } from "./report.ts";

export interface SessionOptions {
  readonly streams: PodStreams;
  readonly clock: Clock;
  readonly pod: ObjectKey;
  /** Milliseconds for an answer. Default 5,000. */
  readonly deadline?: number | undefined;
}

/**
 * A conversation with mysqld by way of the client in its own container: whoever may run commands in the Pod needs no
 * password and no way into its network. The client is started for the first question and again after it has ended.
 */
export class InstanceSession {
  readonly #options: SessionOptions;
  #client: MysqlClient | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /** Rejects with a reason that a person can read. One question at a time. */
  async ask(signal: AbortSignal): Promise<InstanceReport> {
    const { clock, deadline = 5_000 } = this.#options;
    const client = (this.#client ??= startClient(this.#options));
    try {
      return await withDeadline({ what: "mysqld's answer", milliseconds: deadline, clock, signal }, () => client.ask());
    } catch (error) {
      this.close();
      throw error;
    }
  }

  close(): void {
    this.#client?.stop();
    this.#client = undefined;
  }
}

interface MysqlClient {
  ask(): Promise<InstanceReport>;
  stop(): void;
}

interface Lines {
  report?: unknown;
  clone?: unknown;
  end?: number;
}

function startClient({ streams, pod }: SessionOptions): MysqlClient {
  const stopping = new AbortController();
  const stdin = new PassThrough();
  let asked = 0;
  let lines: Lines = {};
  let errors = "";
  let pending: PromiseWithResolvers<InstanceReport> | undefined;
  const answer = (line: string): void => {
    Object.assign(lines, JSON.parse(line) as Lines);
    if (lines.end !== asked) return;
    if (lines.report === undefined) pending?.reject(new CodedError("INSTANCE_REFUSED", lastErrorOf(errors)));
    else pending?.resolve(reportOf(lines.report, lines.clone));
    errors = "";
  };
  const stdout = lineSink((line) => {
    try {
      answer(line);
    } catch (error) {
      pending?.reject(toError(error));
    }
  });
  const stderr = lineSink((line) => (errors += `${line}\n`));
  const ended = streams
    .exec(pod, containerNames.mysqld, mysqlCommand, { stdin, stdout, stderr, signal: stopping.signal })
    .then((code) => new CodedError("INSTANCE_REFUSED", lastErrorOf(errors) || `mysql ended with exit code ${code}`))
    .catch((error: unknown) => new CodedError("INSTANCE_UNREACHABLE", refusalOf(error), { cause: error }));
  return {
    async ask() {
      pending = Promise.withResolvers();
      lines = {};
      stdin.write(question(++asked));
      return Promise.race([pending.promise, ended.then((reason) => Promise.reject(reason))]);
    },
    stop: () => stopping.abort(new Error("nobody asks any more")),
  };
}

/** Calls back for every line that is complete. */
function lineSink(onLine: (line: string) => void): Writable {
  const decoder = new TextDecoder();
  let rest = "";
  return new Writable({
    write(chunk: Buffer, _encoding, callback) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = parts.pop()!;
      for (const line of parts) if (line !== "") onLine(line);
      callback();
    },
  });
}

/** The client's own words, without those that warn. */
function lastErrorOf(errors: string): string {
  const lines = errors.split("\n").filter((line) => line !== "" && !line.includes("[Warning]"));
  // ERROR 2002 (HY000): Can't connect to local MySQL server through socket '/run/mysqld.sock' (2)
  return lines.at(-1)?.replace(/^ERROR (\d+) \([^)]*\)(?: at line \d+)?: /, "") ?? "";
}

function refusalOf(error: unknown): string {
  if (hasReason(error, "Forbidden")) return "you may not run commands in Pods: the right to create pods/exec is needed";
  return describeError(error);
}
