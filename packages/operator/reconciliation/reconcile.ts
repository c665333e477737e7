import { annotationKeys, isAnnotated, MySQLClusters, type MySQLCluster } from "@moco-ts/api";
import { describeError } from "@moco-ts/base";
import {
  done,
  type Configuration,
  type Key,
  type Outcome,
  type ReconcileContext,
  type StatefulSet,
} from "@moco-ts/kube";
import { finalize } from "./finalize.ts";
import { liveStatefulSet, makeInstances } from "./instances.ts";
import { judge, supplyDefaults } from "./judge.ts";
import { makeCredentials, makeDisruptionBudget, makeJobs, makeServices } from "./resources.ts";
import { statusOf, stoppedStatusOf } from "./status.ts";
import type { Tools } from "./tools.ts";
import type { ReconcilerVersion } from "./version.ts";

interface Made {
  readonly statefulSet: StatefulSet;
  readonly version: ReconcilerVersion;
}

/** Makes of a MySQLCluster the resources that it stands for, and says in its status how far that is. */
export async function reconcile(tools: Tools, key: Key, { signal }: ReconcileContext): Promise<Outcome> {
  const cluster = tools.caches.clusters.cache.get(key);
  if (cluster === undefined) return done;
  if (cluster.metadata.deletionTimestamp !== undefined) {
    await finalize(tools, cluster, signal);
    return done;
  }
  const now = tools.clock.now();
  if (isAnnotated(cluster, annotationKeys.reconciliationStopped)) {
    await writeStatus(tools, cluster, stoppedStatusOf(cluster, now), signal);
    return done;
  }
  if (await supplyDefaults(tools, cluster, signal)) return done;
  try {
    judge(cluster);
    const { statefulSet, version } = await makeResources(tools, cluster, signal);
    const reconcileInfo = { generation: cluster.metadata.generation ?? 0, reconcileVersion: version };
    await writeStatus(
      tools,
      cluster,
      statusOf(cluster, { problem: undefined, statefulSet, reconcileInfo }, now),
      signal,
    );
  } catch (error) {
    signal.throwIfAborted();
    const findings = {
      problem: describeError(error),
      statefulSet: liveStatefulSet(tools, cluster),
      reconcileInfo: undefined,
    };
    await writeStatus(tools, cluster, statusOf(cluster, findings, now), signal);
    throw error;
  }
  return done;
}

async function makeResources(tools: Tools, cluster: MySQLCluster, signal: AbortSignal): Promise<Made> {
  await makeCredentials(tools, cluster, signal);
  await makeServices(tools, cluster, signal);
  const made = await makeInstances(tools, cluster, signal);
  await makeDisruptionBudget(tools, cluster, signal);
  await makeJobs(tools, cluster, signal);
  return made;
}

async function writeStatus(
  { applier }: Tools,
  cluster: MySQLCluster,
  status: Configuration<MySQLCluster>,
  signal: AbortSignal,
): Promise<void> {
  await applier.apply(MySQLClusters, status, { live: cluster, subresource: "status", signal });
}
