/** For API tests: a whole controller in this process, on a control plane of its own namespace. */
import { Metrics, silentLogger, systemClock } from "@moco-ts/base";
import { loadKubeconfig } from "@moco-ts/kube";
import { sharedControlPlane } from "@moco-ts/local-kubernetes";
import { onTestFinished } from "vitest";
import { readConfig } from "../config.ts";
import { createOperator } from "../wire.ts";

export interface RunningOperator {
  /** Reconciles that have succeeded. */
  reconciles(): Promise<number>;
  /** What it tells on /metrics. */
  metrics(): Promise<string>;
  stop(): Promise<void>;
}

/** Starts a controller; it is stopped when the test ends. */
export async function startOperator(systemNamespace: string, flags: readonly string[] = []): Promise<RunningOperator> {
  const { kubeconfigPath } = await sharedControlPlane();
  const cluster = await loadKubeconfig({ environment: {}, path: kubeconfigPath });
  const quiet = ["--metrics-addr=0", "--health-probe-addr=0", "--webhook-addr=0", "--apiserver-qps-throttle=1000"];
  const config = readConfig([...quiet, ...flags], { POD_NAMESPACE: systemNamespace });
  const metrics = new Metrics();
  const stopping = new AbortController();
  const running = createOperator(config, { cluster, logger: silentLogger, metrics, clock: systemClock }).run(
    stopping.signal,
  );
  const stop = async (): Promise<void> => {
    stopping.abort(new Error("the test is over"));
    await running;
  };
  onTestFinished(stop);
  const succeeded = /controller_runtime_reconcile_total\{.*result="success".*\} (\d+)/;
  return {
    stop,
    metrics: () => metrics.text(),
    reconciles: async () => Number(succeeded.exec(await metrics.text())?.[1] ?? 0),
  };
}
