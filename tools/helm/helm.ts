/** Real Helm, as a person runs it. It is downloaded, or built from its Go module, at first use. */
import { execFile } from "node:child_process";
import { resolveBinary } from "@moco-ts/local-kubernetes";
import { charts, type ChartName } from "./charts.ts";

export interface HelmOptions {
  /** Default: no cluster. */
  readonly kubeconfigPath?: string;
  /** Of the chart, beyond its defaults. */
  readonly values?: object;
  /** Ends Helm. */
  readonly signal?: AbortSignal;
}

export interface InstallOptions extends HelmOptions {
  readonly kubeconfigPath: string;
  /** Default: the chart's name. */
  readonly release?: string;
  /** Made if it is not there. */
  readonly namespace: string;
  /** A folder or an archive. Default: this project's chart. */
  readonly chart?: string;
  /** More of Helm's flags. */
  readonly flags?: readonly string[];
}

/**
 * Runs Helm to its end and returns what it printed. Fails with what it says.
 *
 * @example
 *   await helm(["lint", "--strict", charts.moco]);
 */
export async function helm(args: readonly string[], options: HelmOptions = {}): Promise<string> {
  const program = await resolveBinary("helm");
  // What is set up on this machine for other clusters must not matter.
  const { KUBECONFIG: _, ...environment } = process.env;
  const env = { ...environment, KUBECONFIG: options.kubeconfigPath ?? "/dev/null" };
  const all = options.values === undefined ? [...args] : [...args, "--values", "-"];
  return new Promise((resolve, reject) => {
    const limits = { env, maxBuffer: 64 * 1024 * 1024, signal: options.signal };
    const child = execFile(program, all, limits, (error, output, problems) => {
      if (error === null) resolve(output);
      else reject(new Error(`helm ${args.join(" ")}: ${problems.trim() || error.message}`));
    });
    // A Helm that ends before it has read its input says why by itself.
    child.stdin!.on("error", () => {});
    // JSON is YAML.
    child.stdin!.end(JSON.stringify(options.values ?? {}));
  });
}

/** Installs a chart or upgrades it, and waits until it is at work. */
export async function installChart(name: ChartName, options: InstallOptions): Promise<string> {
  const { release = name, namespace, chart = charts[name], flags = [], kubeconfigPath, values = {}, signal } = options;
  const place = ["--namespace", namespace, "--create-namespace"];
  return helm(["upgrade", "--install", release, chart, ...place, "--wait", "--timeout=5m", ...flags], {
    kubeconfigPath,
    values,
    ...(signal && { signal }),
  });
}

export async function removeChart(
  release: string,
  options: Pick<InstallOptions, "kubeconfigPath" | "namespace" | "flags">,
): Promise<string> {
  const { kubeconfigPath, namespace, flags = [] } = options;
  return helm(["uninstall", release, "--namespace", namespace, "--wait", ...flags], { kubeconfigPath });
}
