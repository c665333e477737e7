import { CodedError, withDeadline, type Clock } from "@moco-ts/base";
import { createHttpClient, type HttpClient, type HttpConfig } from "./http.ts";
import {
  statistics,
  UsageCollector,
  type Statistic,
  type UsageFailure,
  type UsageReport,
  type UsageSource,
} from "./usage.ts";

export type PrometheusConfig = HttpConfig;

export interface PrometheusUsageOptions {
  readonly config: PrometheusConfig;
  /** Milliseconds for the answer to one query. */
  readonly timeout: number;
  readonly clock: Clock;
}

/** Asks Prometheus, or what speaks its language, for what it has scraped from the kubelets. */
export class PrometheusUsage implements UsageSource {
  readonly #options: PrometheusUsageOptions;
  readonly #client: HttpClient;

  constructor(options: PrometheusUsageOptions) {
    this.#options = options;
    this.#client = createHttpClient(options.config);
  }

  async read(signal: AbortSignal): Promise<UsageReport> {
    const volumes = new UsageCollector();
    const failures: UsageFailure[] = [];
    // All for the same moment, so that numbers of one volume come from one scrape.
    const time = (this.#options.clock.now() / 1000).toFixed(3);
    // One after the other, so that only one answer is in memory.
    for (const statistic of Object.keys(statistics) as Statistic[]) {
      try {
        for (const { metric, value } of await this.#query(statistics[statistic], time, signal)) {
          const { namespace, persistentvolumeclaim: claim } = metric;
          if (namespace && claim) volumes.add(statistic, namespace, claim, Number(value[1]));
        }
      } catch (error) {
        signal.throwIfAborted();
        failures.push({ source: `Prometheus, ${statistics[statistic]}`, error });
        // Without bytes nothing can be decided, and the next query would most likely fail in the same way.
        if (statistic === "available" || statistic === "capacity") break;
      }
    }
    return { volumes: new Map(volumes.complete()), failures };
  }

  async #query(query: string, time: string, signal: AbortSignal): Promise<readonly Series[]> {
    const { timeout: milliseconds, clock } = this.#options;
    const { status, body } = await withDeadline({ what: "the query", milliseconds, clock, signal }, (limited) =>
      this.#client.get("/api/v1/query", { query, time }, limited),
    );
    return seriesOf(status, body);
  }
}

interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
}

interface Answer {
  readonly status?: string;
  readonly errorType?: string;
  readonly error?: string;
  readonly data?: { readonly resultType?: string; readonly result?: readonly Series[] };
}

function seriesOf(status: number, body: string): readonly Series[] {
  const answer = parse(status, body);
  if (answer?.status !== "success") {
    const { errorType = "unknown error", error = body.slice(0, 100) } = answer ?? {};
    throw new CodedError("PROMETHEUS_REFUSED", `${status} ${errorType}: ${error}`);
  }
  const { resultType, result = [] } = answer.data ?? {};
  if (resultType !== "vector") throw new CodedError("PROMETHEUS_ANSWER", `unknown response type: ${resultType}`);
  return result;
}

/** What stands between us and Prometheus answers in its own way. */
function parse(status: number, body: string): Answer | null {
  try {
    return JSON.parse(body) as Answer | null;
  } catch {
    // What it is instead says more than where it stops being JSON.
    throw new CodedError("PROMETHEUS_ANSWER", `${status}, and not JSON: ${body.slice(0, 100)}`);
  }
}
