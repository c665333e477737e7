import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { copyFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

export interface OperatorOptions {
  /** The folder of the controller's image: the program is started as the image starts it. */
  readonly image: string;
  /** For files of its own. */
  readonly directory: string;
  readonly kubeconfig: string;
  readonly metricsPort: number;
}

/** A controller in a process of its own. */
export class OperatorProcess {
  readonly #child: ChildProcess;
  readonly #metricsPort: number;

  private constructor(child: ChildProcess, metricsPort: number) {
    this.#child = child;
    this.#metricsPort = metricsPort;
  }

  static async start({ image, directory, kubeconfig, metricsPort }: OperatorOptions): Promise<OperatorProcess> {
    const { environment, options } = await readContainerfile(join(image, "Containerfile"));
    const quiet = ["--health-probe-addr=0", "--webhook-addr=0", "--zap-log-level=error"];
    const flags = [`--metrics-addr=127.0.0.1:${metricsPort}`, ...quiet, "--apiserver-qps-throttle=1000"];
    // In the image no package.json says that it is an ES module.
    const program = join(directory, "moco-controller.cjs");
    await copyFile(join(image, "main.js"), program);
    const args = [...options, program, ...flags];
    const child = spawn(process.execPath, args, {
      env: { ...environment, PATH: process.env["PATH"], KUBECONFIG: kubeconfig, POD_NAMESPACE: "moco-system" },
      stdio: ["ignore", "ignore", "inherit"],
    });
    return new OperatorProcess(child, metricsPort);
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

  /** MiB that are resident, Node's own program included. */
  get resident(): number {
    return this.#status("VmRSS");
  }

  /** MiB of it that belong to this process alone: all but the files that are mapped. */
  get own(): number {
    return this.#status("RssAnon");
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    this.#child.kill("SIGTERM");
    await once(this.#child, "exit");
  }

  #status(field: string): number {
    return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(this.#read("status"))![1]) / 1024;
  }

  #read(file: string): string {
    return readFileSync(`/proc/${this.#child.pid}/${file}`, "utf8");
  }

  async #reconciled(): Promise<number> {
    try {
      const answer = await fetch(`http://127.0.0.1:${this.#metricsPort}/metrics`);
      const succeeded = /^controller_runtime_reconcile_total\{.*controller="mysqlcluster".*result="success".*\} (\d+)/m;
      return Number(succeeded.exec(await answer.text())?.[1] ?? 0);
    } catch {
      // It does not listen yet.
      return 0;
    }
  }
}

/** How the image starts Node: with which environment, and which options before the program's name. */
async function readContainerfile(path: string): Promise<{ environment: Record<string, string>; options: string[] }> {
  const text = await readFile(path, "utf8");
  const [, entry = ""] = /^ENTRYPOINT (.*)$/m.exec(text) ?? [];
  const [, variables = ""] = /^ENV (.*)$/m.exec(text) ?? [];
  const environment = Object.fromEntries(variables.split(" ").map((each) => each.split("=") as [string, string]));
  return { environment, options: (JSON.parse(entry) as string[]).slice(1, -1) };
}
