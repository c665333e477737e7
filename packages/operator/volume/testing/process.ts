/** For API tests: what a controller does for the instances of a cluster, in a process that can die at any request. */
import { fieldManager, MySQLClusters } from "@moco-ts/api";
import { Metrics, retry, silentLogger, systemClock, type Logger } from "@moco-ts/base";
import { Applier, type Client, type ObjectKey } from "@moco-ts/kube";
import { onTestFinished } from "vitest";
import { createCaches, informersOf } from "../../caches.ts";
import { readConfig } from "../../config.ts";
import { createClusterMetrics } from "../../metrics.ts";
import { makeInstances } from "../../reconciliation/instances.ts";
import type { Tools } from "../../reconciliation/tools.ts";
import { Announcements } from "../../rollout/announcements.ts";
import { maintainVolumes } from "../volumes.ts";

export interface TestProcess {
  /** One look at the cluster. Rejects as it would in the controller. */
  reconcile(key: ObjectKey): Promise<{ recreated: boolean }>;
  /** As the controller does: it looks again as long as it fails, since others write at the same time. */
  reconcileUntilDone(key: ObjectKey): Promise<{ recreated: boolean }>;
  /** The value of a counter for the cluster; 0 if there is no such series. */
  counter(name: string, key: ObjectKey): Promise<number>;
  stop(): void;
}

export interface TestProcessOptions {
  readonly flags?: readonly string[];
  readonly logger?: Logger;
}

/** Starts with copies of its own, as after a restart. It ends with the test at the latest. */
export async function startProcess(client: Client, options: TestProcessOptions = {}): Promise<TestProcess> {
  const { logger = silentLogger, flags = [] } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const stop = (): void => stopping.abort(new Error("the process has ended"));
  onTestFinished(stop);
  const metrics = new Metrics();
  const caches = createCaches(client, { logger: silentLogger, metrics });
  for (const informer of informersOf(caches)) void informer.run(signal);
  await Promise.all(informersOf(caches).map((informer) => informer.waitForSync(signal)));
  const tools = {
    client,
    applier: new Applier({ client, fieldManager, logger }),
    caches,
    announcements: new Announcements(),
    config: readConfig(flags, { POD_NAMESPACE: "none" }),
    metrics: createClusterMetrics(metrics),
    clock: systemClock,
    logger,
  } as unknown as Tools;
  const reconcile: TestProcess["reconcile"] = async (key) => {
    const cluster = await client.get(MySQLClusters, key);
    await maintainVolumes(tools, cluster, signal);
    return makeInstances(tools, cluster, signal);
  };
  return {
    stop,
    reconcile,
    reconcileUntilDone: (key) =>
      retry({ initial: 10, maximum: 500, attempts: 20, clock: systemClock, signal }, () => reconcile(key)),
    counter: async (name, key) => {
      const series = `moco_cluster_${name}{name="${key.name}",namespace="${key.namespace}"}`;
      const line = (await metrics.text()).split("\n").find((each) => each.startsWith(series));
      return Number(line?.slice(series.length) ?? 0);
    },
  };
}
