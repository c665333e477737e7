import {
  annotationKeys,
  clusterKeyOf,
  dataKeys,
  isAnnotated,
  labelKeys,
  podHostName,
  type MySQLCluster,
} from "@moco-ts/api";
import { describeError, withDeadline, type Clock } from "@moco-ts/base";
import type { Pod } from "@moco-ts/kube";
import type { Instance, InstanceState } from "@moco-ts/mysql";
import { instanceOrdinal } from "../pods.ts";
import { ownDirectories } from "../reconciliation/stateful-set/directories.ts";
import type { InstanceView, Memory, PodView, Snapshot } from "./snapshot.ts";
import type { Trace } from "./trace.ts";

export interface Sight {
  readonly cluster: MySQLCluster;
  readonly pods: readonly Pod[];
  /** Of the cluster's StatefulSet. */
  readonly updateRevision: string | undefined;
  readonly trace: Trace;
  readonly clock: Clock;
  /** The mysqld of a Pod; undefined while the Pod has no address. */
  instanceOf(pod: Pod): Instance | undefined;
  instanceAt(address: string): Instance;
}

/** Milliseconds after which a look is no longer one at this moment: every question has a deadline of a second. */
const longestLook = 5_000;

/** Everything about a cluster at this moment. One bad instance never makes it fail: it is written down. */
export async function observe(sight: Sight, signal: AbortSignal): Promise<Snapshot> {
  const { clock, trace } = sight;
  for (;;) {
    const began = clock.monotonic();
    const snapshot = await look(sight, signal);
    trace.hurries = false;
    // Else this process was asleep: what it saw before may be true no more.
    if (clock.monotonic() - began <= longestLook) return snapshot;
  }
}

async function look(sight: Sight, signal: AbortSignal): Promise<Snapshot> {
  const { cluster, pods, trace, clock } = sight;
  const { spec, status } = cluster;
  const primaryIndex = status?.currentPrimaryIndex ?? 0;
  const memory = memoryOf(cluster);
  for (const pod of pods) trace.deaths.note(pod, clock.now());
  const ordinals = Array.from({ length: spec.replicas }, (_, ordinal) => ordinal);
  const lookAt = (ordinal: number): Promise<InstanceView> => viewOf(sight, ordinal, signal);
  // One that did not answer the last time is asked first: what others know of it must not be old when it stays silent.
  const silent = trace.isSilent(primaryIndex) ? await lookAt(primaryIndex) : undefined;
  // The primary comes last, so that it has whatever the others have.
  const replicas = await Promise.all(ordinals.filter((ordinal) => ordinal !== primaryIndex).map(lookAt));
  const isBack = silent?.state !== undefined;
  const found = primaryIndex < spec.replicas ? [silent && !isBack ? silent : await lookAt(primaryIndex)] : [];
  const primary = await Promise.all(found.map((view) => withRemembered(sight, view, memory, signal)));
  signal.throwIfAborted();
  return {
    wanted: {
      replicas: spec.replicas,
      offline: spec.offline ?? false,
      intermediate: Boolean(spec.replicationSourceSecretName),
      restore: Boolean(spec.restore),
      autoReclone: isAnnotated(cluster, annotationKeys.autoRecloneErrant),
      ended: endedServers(cluster),
      authorityFile: `${ownDirectories(cluster).certificates}/${dataKeys.authority}`,
      maxDelayForDeletion: spec.maxDelaySecondsForPodDeletion ?? 0,
    },
    primaryIndex,
    memory,
    errantBefore: status?.errantReplicaList ?? [],
    cloned: status?.cloned ?? false,
    restored: status?.restoredTime !== undefined,
    instances: [...replicas, ...primary].sort((one, other) => one.ordinal - other.ordinal),
    dead: trace.deaths.known(clock.now()),
    suspects: trace.suspects,
    holdSwitchover: trace.holdSwitchover,
  };
}

export function memoryOf({ status }: MySQLCluster): Memory | undefined {
  return status?.clustering;
}

function endedServers({ metadata }: MySQLCluster): string[] {
  const words = metadata.annotations?.[annotationKeys.endedServers] ?? "";
  return words.split(",").flatMap((word) => word.trim().toLowerCase() || []);
}

async function viewOf(sight: Sight, ordinal: number, signal: AbortSignal): Promise<InstanceView> {
  const { cluster, trace, clock } = sight;
  const askedAt = clock.monotonic();
  const pod = sight.pods.find((each) => instanceOrdinal(each) === ordinal);
  const view = pod && podView(pod, sight.updateRevision);
  const base = {
    ordinal,
    host: podHostName(clusterKeyOf(cluster), ordinal),
    pod: view,
    cloning: trace.cloning.has(ordinal),
    ending: view?.terminating ? trace.ending(ordinal, view.uid) : 0,
    inRole: view ? trace.inRole(ordinal, view.uid, view.role) : 0,
  };
  const unanswered = (reason: string): InstanceView => {
    const silence = { reason, milliseconds: trace.silent(ordinal, askedAt) };
    return { ...base, state: undefined, silence, waiting: 0 };
  };
  try {
    const instance = pod && sight.instanceOf(pod);
    const isBrief = trace.hurries && trace.isSilent(ordinal);
    const state = await (isBrief ? glance(instance, clock, signal) : instance?.observe(signal));
    if (pod === undefined || state === undefined) return unanswered("it has no address");
    trace.answered(ordinal);
    trace.deaths.saw(state.uuid, pod, state.uptime, clock.now());
    return { ...base, state, silence: undefined, waiting: trace.waiting(ordinal, state) };
  } catch (error) {
    signal.throwIfAborted();
    return unanswered(describeError(error));
  }
}

/** Milliseconds for somebody who did not answer a moment ago. */
const glanceLimit = 100;

function glance(instance: Instance | undefined, clock: Clock, signal: AbortSignal): Promise<InstanceState | undefined> {
  const deadline = { what: "a glance", milliseconds: glanceLimit, clock, signal };
  return withDeadline(deadline, async (limited) => instance?.observe(limited));
}

/** A Pod that was deleted by force leaves its mysqld behind for a while: that still is the primary. */
async function withRemembered(
  sight: Sight,
  view: InstanceView,
  memory: Memory | undefined,
  signal: AbortSignal,
): Promise<InstanceView> {
  const isThere = memory === undefined || view.state?.uuid === memory.primary;
  if (isThere || memory.primaryAddress === "" || memory.primaryAddress === view.pod?.address) return view;
  const state = await left(sight.instanceAt(memory.primaryAddress), signal);
  if (state?.uuid !== memory.primary) return view;
  return { ...view, pod: undefined, state, silence: undefined };
}

async function left(instance: Instance, signal: AbortSignal): Promise<InstanceState | undefined> {
  try {
    return await instance.observe(signal);
  } catch {
    // Most often nobody is there any more.
    return undefined;
  }
}

function podView(pod: Pod, updateRevision: string | undefined): PodView {
  const { metadata, status } = pod;
  const role = metadata?.labels?.[labelKeys.role];
  const to = Number.parseInt(metadata?.annotations?.[annotationKeys.switchoverTo] ?? "", 10);
  return {
    uid: metadata?.uid ?? "",
    address: status?.podIP,
    ready: status?.conditions?.some((each) => each.type === "Ready" && each.status === "True") ?? false,
    terminating: metadata?.deletionTimestamp !== undefined,
    role: role === "primary" || role === "replica" ? role : undefined,
    updated: updateRevision !== undefined && metadata?.labels?.[revisionLabel] === updateRevision,
    demote: isAnnotated(pod, annotationKeys.demote),
    demoteTo: Number.isNaN(to) ? undefined : to,
    reclone: isAnnotated(pod, annotationKeys.reclone),
    preventDelete: isAnnotated(pod, annotationKeys.preventDelete),
  };
}

const revisionLabel = "controller-revision-hash";
