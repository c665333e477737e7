import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** What the image starts Node with. */
const imageOptions = ["--max-semi-space-size=2", "--heap-growing-percent=20", "--optimize-for-size"];

export interface RoundFigures {
  /** Milliseconds. */
  readonly time: number;
  /** Requests to the API server. */
  readonly requests: number;
  /** MB that are resident. */
  readonly resident: number;
  /** Milliseconds of CPU. */
  readonly cpu: number;
}

/** An autoresizer as one file, as its image has it. */
export class AutoresizerProcess {
  readonly #child: ChildProcess;
  readonly #metrics: string;

  constructor(file: string, kubeconfig: string, metricsPort: number, flags: readonly string[]) {
    this.#metrics = `http://127.0.0.1:${metricsPort}/metrics`;
    const common = [`--metrics-addr=127.0.0.1:${metricsPort}`, "--health-addr=0", "--zap-log-level=error"];
    this.#child = spawn(process.execPath, [...imageOptions, file, ...common, ...flags], {
      env: { PATH: process.env["PATH"], KUBECONFIG: kubeconfig, POD_NAMESPACE: "default" },
      stdio: ["ignore", "ignore", "inherit"],
    });
  }

  /** Lets it warm up, and then takes the average of so many rounds. */
  async measure(rounds: number): Promise<RoundFigures> {
    const first = await this.#after(3);
    const last = await this.#after(first.rounds + rounds);
    const count = last.rounds - first.rounds;
    return {
      time: (1000 * (last.seconds - first.seconds)) / count,
      requests: (last.requests - first.requests) / count,
      resident: (Number(/VmRSS:\s+(\d+)/.exec(this.#read("status"))![1]) * 1024) / 1e6,
      cpu: (1000 * (last.cpu - first.cpu)) / count,
    };
  }

  /** Until the first round has ended. */
  async ready(): Promise<void> {
    await this.#after(1);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    this.#child.kill("SIGTERM");
    await once(this.#child, "exit");
  }

  async #after(rounds: number) {
    for (;;) {
      const { exitCode, signalCode } = this.#child;
      if (exitCode !== null || signalCode !== null) throw new Error(`the autoresizer ended: ${exitCode ?? signalCode}`);
      const figures = await this.#figures();
      if (figures.rounds >= rounds) return figures;
      // Not more often: with thousands of volumes the metrics themselves take longer to write than a round.
      await delay(3_000);
    }
  }

  async #figures() {
    const text = await fetch(this.#metrics).then(
      (answer) => answer.text(),
      // It does not listen yet.
      () => "",
    );
    const sum = (pattern: RegExp): number =>
      [...text.matchAll(pattern)].reduce((sum, [, value]) => sum + Number(value), 0);
    const fields = this.#read("stat").split(") ")[1]!.split(" ");
    return {
      rounds: sum(/^controller_runtime_reconcile_total\{.*result="success".*\} (\S+)$/gm),
      seconds: sum(/^pvcautoresizer_loop_seconds_total (\S+)$/gm),
      requests: sum(/^rest_client_requests_total\{.*\} (\S+)$/gm),
      cpu: (Number(fields[11]) + Number(fields[12])) / 100,
    };
  }

  #read(file: string): string {
    return readFileSync(`/proc/${this.#child.pid}/${file}`, "utf8");
  }
}
