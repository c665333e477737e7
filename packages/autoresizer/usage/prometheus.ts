import { ArraySplitter, CodedError, withDeadline, type Clock } from "@moco-ts/base";
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
    // One after the other, so that Prometheus has no more to do at once than for a person who looks at a graph.
    for (const statistic of Object.keys(statistics) as Statistic[]) {
      try {
        await this.#query(statistics[statistic], time, signal, (text) => {
          const series = readSeries(text);
          if (series) volumes.add(statistic, series.namespace, series.claim, series.value);
        });
      } catch (error) {
        signal.throwIfAborted();
        failures.push({ source: `Prometheus, ${statistics[statistic]}`, error });
        // Without bytes nothing can be decided, and the next query would most likely fail in the same way.
        if (statistic === "available" || statistic === "capacity") break;
      }
    }
    return { volumes: volumes.complete(), failures };
  }

  async #query(query: string, time: string, signal: AbortSignal, onSeries: (text: string) => void): Promise<void> {
    const { timeout: milliseconds, clock } = this.#options;
    await withDeadline({ what: "the query", milliseconds, clock, signal }, async (limited) => {
      const response = await this.#client.get("/api/v1/query", { query, time }, limited);
      // With thousands of volumes an answer has megabytes, and as objects ten times as many.
      const splitter = new ArraySplitter({ key: "result", depth: 3 });
      for await (const chunk of response) splitter.take(chunk as Buffer, onSeries);
      checkAnswer(response.statusCode ?? 0, splitter.envelope);
    });
  }
}

const patterns = {
  namespace: /"namespace"\s*:\s*"([^"\\]+)"/,
  claim: /"persistentvolumeclaim"\s*:\s*"([^"\\]+)"/,
  value: /"value"\s*:\s*\[[^"[\]]*"([^"\\]+)"\s*\]/,
};

/**
 * What matters of a series. It is searched for, as most of a series are other labels: to parse them takes far more time and
 * memory. No text in a string can look like that, since quotes in strings are escaped.
 */
export function readSeries(text: string): { namespace: string; claim: string; value: number } | undefined {
  const namespace = patterns.namespace.exec(text)?.[1];
  const claim = patterns.claim.exec(text)?.[1];
  const value = patterns.value.exec(text)?.[1];
  return namespace && claim && value ? { namespace, claim, value: Number(value) } : undefined;
}

/** What is around the series. */
interface Envelope {
  readonly status?: string;
  readonly errorType?: string;
  readonly error?: string;
  readonly data?: { readonly resultType?: string };
}

function checkAnswer(status: number, text: string): void {
  const envelope = parseEnvelope(status, text);
  if (envelope?.status !== "success") {
    const { errorType = "unknown error", error = text.slice(0, 100) } = envelope ?? {};
    throw new CodedError("PROMETHEUS_REFUSED", `${status} ${errorType}: ${error}`);
  }
  const { resultType } = envelope.data ?? {};
  if (resultType !== "vector") throw new CodedError("PROMETHEUS_ANSWER", `unknown response type: ${resultType}`);
}

/** What stands between us and Prometheus answers in its own way. */
function parseEnvelope(status: number, text: string): Envelope | null {
  try {
    return JSON.parse(text) as Envelope | null;
  } catch {
    // What it is instead says more than where it stops being JSON.
    throw new CodedError("PROMETHEUS_ANSWER", `${status}, and not JSON: ${text.slice(0, 100)}`);
  }
}
