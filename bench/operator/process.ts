import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** What the image starts Node with. */
const imageOptions = ["--max-semi-space-size=2"];

/** A controller of its own, as one file, with the kubeconfig of a user whose requests are counted. */
export class OperatorProcess {
  readonly #child: ChildProcess;
  readonly #metricsPort: number;

  constructor(file: string, kubeconfig: string, metricsPort: number) {
    this.#metricsPort = metricsPort;
    const flags = [`--metrics-addr=127.0.0.1:${metricsPort}`, "--health-probe-addr=0", "--webhook-addr=0"];
    this.#child = spawn(process.execPath, [...imageOptions, file, ...flags, "--apiserver-qps-throttle=1000"], {
      env: { PATH: process.env["PATH"], KUBECONFIG: kubeconfig, POD_NAMESPACE: "moco-system" },
      stdio: "ignore",
    });
  }

  /** Waits until so many reconciles have succeeded since the start. */
  async untilReconciled(count: number): Promise<void> {
    while ((await this.#reconciled()) < count) {
      this.assertRunning();
      await delay(50);
    }
  }

  /** A controller that has ended would be waited for in vain. */
  assertRunning(): void {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) throw new Error(`the controller ended: ${exitCode ?? signalCode}`);
  }

  /** Seconds of CPU since the start. */
  get cpu(): number {
    const fields = this.#read("stat").split(") ")[1]!.split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  }

  /** MiB that are resident. */
  get resident(): number {
    return Number(/VmRSS:\s+(\d+)/.exec(this.#read("status"))![1]) / 1024;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    this.#child.kill("SIGTERM");
    await once(this.#child, "exit");
  }

  #read(file: string): string {
    return readFileSync(`/proc/${this.#child.pid}/${file}`, "utf8");
  }

  async #reconciled(): Promise<number> {
    try {
      const answer = await fetch(`http://127.0.0.1:${this.#metricsPort}/metrics`);
      const succeeded = /controller_runtime_reconcile_total\{.*result="success".*\} (\d+)/;
      return Number(succeeded.exec(await answer.text())?.[1] ?? 0);
    } catch {
      // It does not listen yet.
      return 0;
    }
  }
}
