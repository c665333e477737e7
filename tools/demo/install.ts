import { installChart, type ChartName } from "@moco-ts/helm";
import type { Narrator } from "./narrator.ts";

export const charts: readonly ChartName[] = ["moco", "pvc-autoresizer"];
export const systemNamespaces: Readonly<Record<ChartName, string>> = {
  moco: "moco-system",
  "pvc-autoresizer": "pvc-autoresizer",
};

export interface InstallOptions {
  readonly kubeconfigPath: string;
  /** Of each chart. */
  readonly values: Readonly<Record<ChartName, object>>;
  readonly narrator: Narrator;
  readonly signal: AbortSignal;
}

/** By the charts that users install too. */
export async function install({ kubeconfigPath, values, narrator, signal }: InstallOptions): Promise<void> {
  await narrator.step("The operator and the autoresizer, installed by their Helm charts", async () => {
    for (const chart of charts) {
      const namespace = systemNamespaces[chart];
      await installChart(chart, { kubeconfigPath, namespace, values: values[chart], signal });
      narrator.say(`helm upgrade --install ${chart} charts/${chart} --namespace ${namespace}`);
    }
  });
}

/** A round every few seconds, over volumes of any StorageClass: a demo has no time. */
export function autoresizerArguments(namespace: string): object {
  const additionalArgs = ["--no-annotation-check"];
  return { args: { useK8sMetricsApi: true, interval: "3s", namespaces: [namespace], additionalArgs } };
}
