import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "@prometheus-io/client";

/**
 * The registry that a program exposes on /metrics. It is passed down, never global, so that two instances in one process
 * (tests, benchmarks) don't share series.
 */
export class Metrics {
  readonly registry = new Registry();
  readonly #updates = new Set<() => void>();

  counter<L extends string>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> {
    return this.#once(name, () => new Counter({ name, help, labelNames, registers: [this.registry] }));
  }

  gauge<L extends string>(name: string, help: string, labelNames: readonly L[] = []): Gauge<L> {
    return this.#once(name, () => new Gauge({ name, help, labelNames, registers: [this.registry] }));
  }

  histogram<L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[] = [],
    buckets: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  ): Histogram<L> {
    const make = (): Histogram<L> =>
      new Histogram({ name, help, labelNames, buckets: [...buckets], registers: [this.registry] });
    return this.#once(name, make);
  }

  /** Calls `update` before each scrape: for values that change by themselves, such as ages. Returns how to stop it. */
  onScrape(update: () => void): () => void {
    this.#updates.add(update);
    return () => this.#updates.delete(update);
  }

  /** Adds what Node tells of the process: CPU, memory, file descriptors, event-loop delay, garbage collection. */
  addProcessMetrics(): void {
    if (this.registry.getSingleMetric("process_cpu_seconds_total")) return;
    collectDefaultMetrics({ register: this.registry });
  }

  /** Prometheus' text format. */
  text(): Promise<string> {
    for (const update of this.#updates) update();
    return this.registry.metrics();
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** Several queues or controllers share one metric and differ by label. */
  #once<M>(name: string, make: () => M): M {
    return (this.registry.getSingleMetric(name) as M | undefined) ?? make();
  }
}
