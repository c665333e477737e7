import type { Metrics } from "@moco-ts/base";
import { parseKey } from "@moco-ts/kube";
import type { Problem } from "./decision/plan.ts";

interface ClaimLabels extends Record<string, string> {
  readonly persistentvolumeclaim: string;
  readonly namespace: string;
}

const claimLabels = ["persistentvolumeclaim", "namespace"] as const;

/** What Prometheus is told, of claims by their key. Series of a claim are there from the first round that it is managed in, until it goes. */
export class AutoresizerMetrics {
  readonly loopSeconds;
  readonly kubernetesClientFail;
  readonly metricsClientFail;
  readonly #metrics: Metrics;
  readonly #success;
  readonly #failed;
  readonly #limitReached;
  readonly #problem;
  readonly #problems = new Map<string, Problem["name"]>();
  /** Claims that have series. */
  readonly #known = new Set<string>();

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
    const counter = (name: string, help: string) => metrics.counter(`pvcautoresizer_${name}`, help);
    const perClaim = (name: string, help: string) => metrics.counter(`pvcautoresizer_${name}`, help, claimLabels);
    this.loopSeconds = counter("loop_seconds_total", "Seconds that rounds have taken.");
    this.kubernetesClientFail = counter("kubernetes_client_fail_total", "Requests to the API server that failed.");
    this.metricsClientFail = counter("metrics_client_fail_total", "Reads of volume statistics that failed.");
    this.#success = perClaim("success_resize_total", "Resizes that the API server accepted.");
    this.#failed = perClaim("failed_resize_total", "Resizes that failed.");
    this.#limitReached = perClaim("limit_reached_total", "Rounds in which the volume was at its limit.");
    this.#problem = metrics.gauge(
      "pvcautoresizer_problem",
      "1 while somebody should look at the claim; the reason is that of its Event.",
      [...claimLabels, "reason"],
    );
  }

  /** A claim is managed: it has series from now on. */
  appear(key: string): void {
    if (this.#known.has(key)) return;
    this.#known.add(key);
    // The same object for all of them: it stays as long as its series.
    const labels = labelsOf(key);
    for (const counter of this.#counters) counter.inc(labels, 0);
  }

  /** A claim is not managed any more. */
  forget(key: string): void {
    this.#known.delete(key);
    for (const counter of this.#counters) counter.remove(labelsOf(key));
    this.setProblem(key, undefined);
  }

  resized(key: string): void {
    this.#success.inc(labelsOf(key));
  }

  count(what: "limitReached" | "failed", key: string): void {
    (what === "failed" ? this.#failed : this.#limitReached).inc(labelsOf(key));
  }

  setProblem(key: string, reason: Problem["name"] | undefined): void {
    const before = this.#problems.get(key);
    if (before === reason) return;
    if (before !== undefined) this.#problem.remove({ ...labelsOf(key), reason: before });
    if (reason === undefined) this.#problems.delete(key);
    else this.#problems.set(key, reason);
    if (reason !== undefined) this.#problem.set({ ...labelsOf(key), reason }, 1);
  }

  /** Starts the counters of all claims anew if there is too much to read. */
  async resetIfLargerThan(bytes: number): Promise<void> {
    if (Buffer.byteLength(await this.#metrics.text()) <= bytes) return;
    for (const counter of this.#counters) counter.reset();
    this.#known.clear();
  }

  get #counters() {
    return [this.#success, this.#failed, this.#limitReached];
  }
}

function labelsOf(key: string): ClaimLabels {
  const { namespace = "", name } = parseKey(key);
  return { persistentvolumeclaim: name, namespace };
}
