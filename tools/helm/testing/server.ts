import { execFile } from "node:child_process";
import { resolveBinary, startControlPlane, type ControlPlane } from "@moco-ts/local-kubernetes";
import { foreignDefinitions } from "./definitions.ts";

/** A real API server without nodes that knows Prometheus Operator's and cert-manager's objects. */
export class ChartServer {
  readonly kubeconfigPath: string;
  readonly auditLogPath: string;
  readonly #controlPlane: ControlPlane;
  readonly #kubectl: string;

  private constructor(controlPlane: ControlPlane, kubectl: string) {
    this.#controlPlane = controlPlane;
    this.#kubectl = kubectl;
    this.kubeconfigPath = controlPlane.kubeconfigPath;
    this.auditLogPath = controlPlane.auditLogPath!;
  }

  /** With `controllers`, what belongs to an object goes with it, and Pods are made, though nobody runs them. */
  static async start({ controllers = false } = {}): Promise<ChartServer> {
    const kubectl = await resolveBinary("kubectl");
    const server = new ChartServer(
      await startControlPlane({ name: "charts", auditLog: true, controllerManager: controllers }),
      kubectl,
    );
    for (const path of await foreignDefinitions()) await server.kubectl(["apply", "--server-side", "-f", path]);
    await server.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);
    return server;
  }

  stop(): Promise<void> {
    return this.#controlPlane.stop();
  }

  /** What kubectl prints, also the warnings of the API server. Fails with what it says. */
  kubectl(args: readonly string[], input = ""): Promise<{ readonly output: string; readonly warnings: string }> {
    return new Promise((resolve, reject) => {
      const all = ["--kubeconfig", this.kubeconfigPath, ...args];
      const child = execFile(this.#kubectl, all, { maxBuffer: 64 * 1024 * 1024 }, (error, output, warnings) => {
        if (error === null) resolve({ output, warnings });
        else reject(new Error(`kubectl ${args.join(" ")}: ${warnings.trim() || error.message}`));
      });
      child.stdin!.end(input);
    });
  }

  async get<T>(...args: string[]): Promise<T> {
    return JSON.parse((await this.kubectl(["get", ...args, "-o", "json"])).output) as T;
  }

  /** A namespace in which the API server warns of Pods that could do more than they should. */
  async createNamespace(name: string): Promise<string> {
    const labels = { "pod-security.kubernetes.io/warn": "restricted" };
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } };
    await this.kubectl(["apply", "-f", "-"], JSON.stringify(namespace));
    return name;
  }

  /** What the API server would make of manifests: it knows every field, and none is unknown to it. */
  async dryRun(manifests: string): Promise<{ readonly output: string; readonly warnings: string }> {
    const flags = ["--server-side", "--dry-run=server", "--validate=strict", "--force-conflicts", "-o", "name"];
    return this.kubectl(["apply", ...flags, "-f", "-"], manifests);
  }
}
