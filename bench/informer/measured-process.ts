import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { Measurement, Order } from "./candidate.ts";

/** What Node makes of a pod's memory limit of 1 GiB. On a machine without limits V8 would keep far more than it needs. */
const heapLimit = "--max-heap-size=256";

/** A process with one informer in it. */
export class MeasuredProcess {
  readonly #process: ChildProcess;

  constructor(path: string) {
    this.#process = fork(path, { execArgv: [heapLimit] });
  }

  async ask(order: Order): Promise<Measurement> {
    this.#process.send(order);
    const [measurement] = (await once(this.#process, "message")) as [Measurement];
    return measurement;
  }

  /** What is measured after a time without work. */
  async settled(): Promise<Measurement> {
    await delay(2_000);
    return this.ask({ order: "measure" });
  }

  /** What is measured as soon as so many events have come. */
  async until(events: number): Promise<Measurement> {
    for (;;) {
      const measurement = await this.ask({ order: "measure" });
      if (measurement.events >= events) return measurement;
      await delay(50);
    }
  }

  async stop(): Promise<void> {
    this.#process.kill("SIGKILL");
    await once(this.#process, "exit");
  }
}
