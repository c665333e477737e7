import {
  annotationKeys,
  clusterEvents,
  isAnnotated,
  MySQLClusters,
  type ConditionContent,
  type MySQLCluster,
} from "@moco-ts/api";
import { describeError } from "@moco-ts/base";
import {
  done,
  isConflict,
  parseKey,
  type Applied,
  type Configuration,
  type EventContent,
  type Key,
  type Outcome,
  type ReconcileContext,
} from "@moco-ts/kube";
import { podsOf } from "../pods.ts";
import { together } from "../together.ts";
import { volumesCondition, volumesEvent } from "../volume/condition.ts";
import { reclaimPods } from "../volume/recreate.ts";
import { maintainVolumes, planVolumes } from "../volume/volumes.ts";
import { finalize } from "./finalize.ts";
import { liveStatefulSet, makeInstances, type Instances } from "./instances.ts";
import { judge, supplyDefaults } from "./judge.ts";
import { optionsCondition } from "./options-condition.ts";
import { makeCredentials, makeDisruptionBudget, makeJobs, makeServices } from "./resources.ts";
import { startCondition, startEvents } from "./starting/condition.ts";
import { startProblems } from "./starting/problems.ts";
import { outcomeCondition, statusOf, stoppedStatusOf } from "./status.ts";
import { tellMetrics } from "./tell-metrics.ts";
import type { Tools } from "./tools.ts";
import { warningOf } from "./warning.ts";

/** Makes of a MySQLCluster the resources that it stands for, and says in its status how far that is. */
export async function reconcile(tools: Tools, key: Key, { signal }: ReconcileContext): Promise<Outcome> {
  const cluster = tools.caches.clusters.cache.get(key);
  if (cluster === undefined) {
    const { namespace = "", name } = parseKey(key);
    tools.metrics.forget(namespace, name);
    return done;
  }
  tellMetrics(tools.metrics, cluster);
  if (cluster.metadata.deletionTimestamp !== undefined) {
    await reclaimPods(tools, cluster, signal);
    await finalize(tools, cluster, signal);
    return done;
  }
  if (isAnnotated(cluster, annotationKeys.reconciliationStopped)) {
    await writeStatus(tools, cluster, stoppedStatusOf(cluster, tools.clock.now()), signal);
    return done;
  }
  if (await supplyDefaults(tools, cluster, signal)) return done;
  try {
    judge(cluster, liveStatefulSet(tools, cluster));
    const made = await makeResources(tools, cluster, signal);
    const events = await conclude(tools, cluster, { made }, signal);
    return { ...done, events: events.map((content) => ({ regarding: cluster, ...content })) };
  } catch (error) {
    signal.throwIfAborted();
    // Somebody else was faster. That is settled by the next attempt, and nothing to tell of.
    if (isConflict(error)) throw error;
    for (const content of await conclude(tools, cluster, { problem: describeError(error) }, signal)) {
      tools.events.record(cluster, content);
    }
    throw error;
  }
}

async function makeResources(tools: Tools, cluster: MySQLCluster, signal: AbortSignal): Promise<Instances> {
  // Disks wait for nothing else, whatever is wrong with it; the StatefulSet waits for both.
  await together(maintainVolumes(tools, cluster, signal), makeSurroundings(tools, cluster, signal));
  const made = await makeInstances(tools, cluster, signal);
  await makeDisruptionBudget(tools, cluster, signal);
  await makeJobs(tools, cluster, signal);
  return made;
}

async function makeSurroundings(tools: Tools, cluster: MySQLCluster, signal: AbortSignal): Promise<void> {
  await makeCredentials(tools, cluster, signal);
  await makeServices(tools, cluster, signal);
}

/** Writes what there is to know into the status. Returns what of it is news. */
async function conclude(
  tools: Tools,
  cluster: MySQLCluster,
  { made, problem }: { readonly made?: Instances; readonly problem?: string },
  signal: AbortSignal,
): Promise<EventContent[]> {
  const outcome = outcomeCondition(cluster, problem);
  const volumes = volumesCondition(cluster, planVolumes(tools, cluster));
  const problems = startProblems(podsOf(tools.caches, cluster));
  const start = startCondition(cluster, problems);
  const options = made && optionsCondition(cluster, made.warnings);
  const findings = {
    statefulSet: made?.statefulSet ?? liveStatefulSet(tools, cluster),
    conditions: [outcome, volumes, start, ...(options ? [options] : [])],
    version: made?.version,
  };
  const written = await writeStatus(tools, cluster, statusOf(cluster, findings, tools.clock.now()), signal);
  const news = (condition: ConditionContent | undefined, told: () => EventContent[]): EventContent[] =>
    condition && isChanged(written, condition) ? told() : [];
  const resized = volumesEvent(cluster, volumes);
  return [
    ...(made?.recreated ? [clusterEvents.statefulSetRecreated()] : []),
    ...(resized ? [resized] : []),
    ...news(outcome, () => warningOf(cluster, outcome)),
    ...news(options, () => warningOf(cluster, options!)),
    ...news(start, () => startEvents(cluster, problems)),
  ];
}

/** Our copy of the cluster may lag behind: what was written tells whether somebody knows of it already. */
function isChanged(written: Applied<MySQLCluster>, { type }: ConditionContent): boolean {
  if (written.outcome !== "updated") return false;
  const own = `.status.conditions[type="${type}"]`;
  return written.changes.some(({ path }) => path.startsWith(own) || own.startsWith(path));
}

function writeStatus(
  { applier }: Tools,
  cluster: MySQLCluster,
  status: Configuration<MySQLCluster>,
  signal: AbortSignal,
): Promise<Applied<MySQLCluster>> {
  return applier.apply(MySQLClusters, status, { live: cluster, subresource: "status", signal });
}
