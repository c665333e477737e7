import { annotationKeys, clusterEvents, isAnnotated, MySQLClusters, type MySQLCluster } from "@moco-ts/api";
import { describeError } from "@moco-ts/base";
import {
  done,
  type Configuration,
  type Key,
  type Outcome,
  type ReconcileContext,
  type StatefulSet,
} from "@moco-ts/kube";
import { volumesCondition, volumesEvent } from "../volume/condition.ts";
import { reclaimPods } from "../volume/recreate.ts";
import { planVolumes } from "../volume/volumes.ts";
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
  readonly recreated: boolean;
}

/** Makes of a MySQLCluster the resources that it stands for, and says in its status how far that is. */
export async function reconcile(tools: Tools, key: Key, { signal }: ReconcileContext): Promise<Outcome> {
  const cluster = tools.caches.clusters.cache.get(key);
  if (cluster === undefined) return done;
  if (cluster.metadata.deletionTimestamp !== undefined) {
    await reclaimPods(tools, cluster, signal);
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
    const { statefulSet, version, recreated } = await makeResources(tools, cluster, signal);
    const reconcileInfo = { generation: cluster.metadata.generation ?? 0, reconcileVersion: version };
    const volumes = volumesCondition(cluster, planVolumes(tools, cluster));
    const findings = { problem: undefined, statefulSet, volumes, reconcileInfo };
    await writeStatus(tools, cluster, statusOf(cluster, findings, now), signal);
    const told = [recreated ? clusterEvents.statefulSetRecreated() : undefined, volumesEvent(cluster, volumes)];
    return { ...done, events: told.flatMap((content) => (content ? [{ regarding: cluster, ...content }] : [])) };
  } catch (error) {
    signal.throwIfAborted();
    const findings = {
      problem: describeError(error),
      statefulSet: liveStatefulSet(tools, cluster),
      volumes: volumesCondition(cluster, planVolumes(tools, cluster)),
      reconcileInfo: undefined,
    };
    await writeStatus(tools, cluster, statusOf(cluster, findings, now), signal);
    throw error;
  }
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
