import { clusterKeyOf, namesOf, type MySQLCluster } from "@moco-ts/api";
import { CodedError, describeError, retry, type Clock, type Logger } from "@moco-ts/base";
import {
  hasReason,
  isAlreadyExists,
  isConflict,
  isNotFound,
  keyOf,
  StatefulSets,
  type Client,
  type Configuration,
  type JsonPatchOperation,
  type ObjectKey,
  type StatefulSet,
} from "@moco-ts/kube";
import type { Caches } from "../caches.ts";
import { metricLabels, type ClusterMetrics } from "../metrics.ts";
import { forgetRecord, readRecord, recordKey, writeRecord } from "./record.ts";
import {
  firstForm,
  isIncomplete,
  mustBeRecreated,
  newestTemplate,
  recreationManager,
  restoredOwnership,
  successorOf,
  type Recreation,
} from "./replacement.ts";
import { templateBeforeUpdate } from "./revision.ts";
import { until } from "./until.ts";

export interface RecreationTools {
  readonly client: Client;
  readonly caches: Pick<Caches, "statefulSets" | "recreations">;
  readonly metrics: ClusterMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Makes the StatefulSet anew around its running Pods, if other claim templates are wanted. Returns whether it did.
 *
 * 1. A rehearsal: what would be refused is never begun.
 * 2. The successor is put on record.
 * 3. The StatefulSet is deleted without its Pods, if it still is what the record was made from.
 * 4. {@link completeRecreation} does the rest, from the record, here or in whatever process comes next.
 */
export async function recreateStatefulSet(
  tools: RecreationTools,
  cluster: MySQLCluster,
  wanted: Configuration<StatefulSet>,
  signal: AbortSignal,
): Promise<boolean> {
  const { client, caches, logger } = tools;
  const key = statefulSetKey(cluster);
  if (!mustBeRecreated(cluster, caches.statefulSets.cache.get(keyOf(key)), wanted)) return false;
  return counted(tools, cluster, signal, async () => {
    // What is deleted must be what is put on record, to the last field: a copy may be old.
    const live = await client.get(StatefulSets, key, { signal });
    if (!mustBeRecreated(cluster, live, wanted)) return false;
    const { uid = "", resourceVersion = "" } = live.metadata ?? {};
    const firstTemplate = await templateBeforeUpdate(client, live, signal);
    const statefulSet = successorOf(live, wanted);
    const recreation: Recreation = { replaces: uid, statefulSet, ...(firstTemplate && { firstTemplate }) };
    await rehearse(client, recreation, signal);
    await writeRecord(client, cluster, recreation, signal);
    logger.info("deleting a StatefulSet without its Pods, to make it anew", { statefulSet: keyOf(key) });
    const preconditions = { uid, resourceVersion };
    await client.delete(StatefulSets, key, { propagation: "Orphan", preconditions, signal });
    await complete(tools, cluster, recreation, signal);
    return true;
  });
}

/** Ends what was begun, if anything was: call it before the StatefulSet is looked at. */
export async function completeRecreation(
  tools: RecreationTools,
  cluster: MySQLCluster,
  signal: AbortSignal,
): Promise<void> {
  const recreation = await pendingRecreation(tools, cluster, signal);
  if (recreation === undefined) return;
  await counted(tools, cluster, signal, () => complete(tools, cluster, recreation, signal));
}

/**
 * Before a cluster is let go: Pods whose StatefulSet is missing belong to nobody and would be left behind. They are its
 * Pods again once Kubernetes has looked at it.
 */
export async function reclaimPods(tools: RecreationTools, cluster: MySQLCluster, signal: AbortSignal): Promise<void> {
  const recreation = await pendingRecreation(tools, cluster, signal);
  if (recreation === undefined) return;
  try {
    await complete(tools, cluster, recreation, signal);
  } catch (error) {
    // In a namespace that is being deleted, nothing can be made, and all Pods are deleted.
    if (hasReason(error, "Forbidden")) return;
    throw error;
  }
  const key = keyOf(statefulSetKey(cluster));
  const isSeen = (object: StatefulSet | undefined): boolean => object?.status?.observedGeneration !== undefined;
  await until(tools.caches.statefulSets, key, isSeen, { ...tools, what: `the adoption of StatefulSet ${key}`, signal });
}

/** Every step can be the last one of a process, and is taken again, or found to be taken, by the next. */
async function complete(
  tools: RecreationTools,
  cluster: MySQLCluster,
  recreation: Recreation,
  signal: AbortSignal,
): Promise<void> {
  const { client, metrics, logger } = tools;
  const key = statefulSetKey(cluster);
  const isOld = (object: StatefulSet | undefined): boolean => object?.metadata?.uid === recreation.replaces;
  const seen = (what: string, isSo: (object: StatefulSet | undefined) => boolean) =>
    until(tools.caches.statefulSets, keyOf(key), isSo, {
      ...tools,
      what: `${what} of StatefulSet ${keyOf(key)}`,
      signal,
    });

  const present = await read(client, key, signal);
  if (isOld(present) && present?.metadata?.deletionTimestamp === undefined) {
    // It was never deleted. If it still has to be, that begins with a new record.
    return forgetRecord(client, cluster, signal);
  }
  if (present === undefined || isOld(present)) {
    await seen("the deletion", (object) => !isOld(object));
    await create(client, recreation, signal);
    metrics.statefulSetsRecreated.inc(metricLabels(cluster));
    logger.info("made a StatefulSet anew", { statefulSet: keyOf(key) });
  }
  if (recreation.firstTemplate !== undefined) {
    await seen("the adoption", (object) => object?.status?.currentRevision !== undefined && !isOld(object));
    await amend(tools, key, (live) => (isIncomplete(live) ? newestTemplate(recreation) : []), signal);
  }
  await amend(tools, key, (live) => (isIncomplete(live) ? restoredOwnership(recreation, live) : []), signal);
  await seen("the completion", (object) => object !== undefined && !isOld(object) && !isIncomplete(object));
  await forgetRecord(client, cluster, signal);
}

/** Validation and admission are asked, and nothing is written. That the name is taken is found out last. */
async function rehearse(client: Client, recreation: Recreation, signal: AbortSignal): Promise<void> {
  const options = { fieldManager: recreationManager, dryRun: true, signal };
  const forms = [firstForm(recreation), ...(recreation.firstTemplate ? [recreation.statefulSet] : [])];
  for (const form of forms) {
    try {
      await client.create(StatefulSets, form, options);
    } catch (error) {
      if (isAlreadyExists(error)) continue;
      const message = `StatefulSet ${keyOf(form)} is left as it is, since it could not be made anew: `;
      throw new CodedError("STATEFULSET_REFUSED", message + describeError(error), { cause: error });
    }
  }
}

async function create(client: Client, recreation: Recreation, signal: AbortSignal): Promise<void> {
  try {
    await client.create(StatefulSets, firstForm(recreation), { fieldManager: recreationManager, signal });
  } catch (error) {
    // An answer was lost, or a person was faster.
    if (!isAlreadyExists(error)) throw error;
  }
}

/** Changes the StatefulSet, to which Kubernetes' own controllers write at the same time. */
async function amend(
  { client, clock }: RecreationTools,
  key: ObjectKey,
  change: (live: StatefulSet) => readonly JsonPatchOperation[],
  signal: AbortSignal,
): Promise<void> {
  await retry({ initial: 10, maximum: 200, attempts: 10, retryable: isConflict, clock, signal }, async () => {
    const live = await client.get(StatefulSets, key, { signal });
    const operations = change(live);
    if (operations.length === 0) return;
    const value = live.metadata?.resourceVersion;
    const body = [{ op: "replace", path: "/metadata/resourceVersion", value } as const, ...operations];
    await client.patch(StatefulSets, key, { type: "json", body }, { fieldManager: recreationManager, signal });
  });
}

/** Failures are counted each time, so that people are told as long as it goes on. Conflicts are none. */
async function counted<T>(
  { metrics }: RecreationTools,
  cluster: MySQLCluster,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!signal.aborted && !isConflict(error)) metrics.statefulSetRecreateErrors.inc(metricLabels(cluster));
    throw error;
  }
}

/** What was begun and not completed. Usually copies show that there is nothing. */
async function pendingRecreation(
  { client, caches }: RecreationTools,
  cluster: MySQLCluster,
  signal: AbortSignal,
): Promise<Recreation | undefined> {
  const isKnown = caches.recreations.cache.get(keyOf(recordKey(cluster))) !== undefined;
  const isMissing = caches.statefulSets.cache.get(keyOf(statefulSetKey(cluster))) === undefined;
  // A StatefulSet that is not there may have been deleted just now: then copies say too little.
  if (!isKnown && (!isMissing || isNew(cluster))) return undefined;
  return readRecord(client, cluster, signal);
}

async function read(client: Client, key: ObjectKey, signal: AbortSignal): Promise<StatefulSet | undefined> {
  try {
    return await client.get(StatefulSets, key, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** True if nothing can have been begun for it yet. */
function isNew({ metadata, status }: MySQLCluster): boolean {
  return status === undefined && (metadata.generation ?? 0) <= 1;
}

function statefulSetKey(cluster: MySQLCluster): ObjectKey {
  return { namespace: cluster.metadata.namespace, name: namesOf(clusterKeyOf(cluster)).statefulSet };
}
