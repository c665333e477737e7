import {
  annotationKeys,
  clusterKeyOf,
  clusterLabels,
  formatSelector,
  isAnnotated,
  labelKeys,
  MySQLClusters,
  podName,
  type MySQLCluster,
} from "@moco-ts/api";
import { DeadlineError, formatDuration, raceAbort, withDeadline } from "@moco-ts/base";
import { createInformer, Events, Pods, type Event, type Pod } from "@moco-ts/kube";
import { isReady } from "../cluster/members.ts";
import { Failure } from "../failure.ts";
import type { Session } from "../session.ts";
import type { Tools } from "../tools.ts";

export interface Switchover {
  readonly cluster: MySQLCluster;
  /** Index of the old primary. */
  readonly primary: number;
  readonly to: number | undefined;
  /** Milliseconds. */
  readonly timeout: number;
  /** Puts the request on the old primary's Pod and returns it. */
  readonly ask: () => Promise<Pod>;
  readonly report: (line: string) => Promise<void>;
}

/** What is known at one moment. */
export interface Progress {
  readonly cluster: MySQLCluster | undefined;
  readonly pods: ReadonlyMap<string, Pod>;
}

/** Where a switchover stands; `reached` is the new primary. */
export type Verdict =
  { readonly state: "waiting" } | { readonly state: "given up" } | { readonly state: "done"; readonly reached: number };

/**
 * Pure. The request is on the old primary's Pod until the operator has carried it out or given it up. `asked` is that Pod
 * with the request on it: what is known may be older than that.
 */
export function judge({ cluster, pods }: Progress, primary: number, asked: Pod): Verdict {
  if (!cluster) return { state: "given up" };
  const { currentPrimaryIndex: reached = primary } = cluster.status ?? {};
  if (reached === primary) {
    const pod = pods.get(asked.metadata?.name ?? "");
    const isOver = pod && versionOf(pod) >= versionOf(asked) && !isAnnotated(pod, annotationKeys.demote);
    return { state: isOver ? "given up" : "waiting" };
  }
  const pod = pods.get(podName(cluster.metadata.name, reached));
  const serves = pod?.metadata?.labels?.[labelKeys.role] === "primary" && isReady(pod);
  return serves ? { state: "done", reached } : { state: "waiting" };
}

/** Asks, and follows by watches what comes of it. */
export async function watchSwitchover(session: Session, switchover: Switchover, tools: Tools): Promise<void> {
  const { cluster, primary, to, timeout, ask, report } = switchover;
  const { clock, signal } = tools;
  const key = clusterKeyOf(cluster);
  const stopping = new AbortController();
  try {
    const options = { what: "the switchover", milliseconds: timeout, clock, signal };
    await withDeadline(options, async (limited) => {
      const source = await startWatching(session, cluster, AbortSignal.any([limited, stopping.signal]));
      const startedAt = clock.monotonic();
      const asked = await ask();
      for (;;) {
        await source.changed(limited);
        for (const { reason, message } of source.newEvents()) await report(`${reason}: ${message}`);
        const verdict = judge(source.read(), primary, asked);
        if (verdict.state === "given up") throw givenUp(key.name);
        if (verdict.state === "waiting") continue;
        const lasted = formatDuration(Math.round(clock.monotonic() - startedAt));
        await report(`instance ${verdict.reached} is the primary (${lasted})`);
        if (to !== undefined && verdict.reached !== to) throw new Failure(`it was to be instance ${to}`);
        return;
      }
    });
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error;
    const pod = podName(key.name, primary);
    throw new Failure(`there was no switchover within ${formatDuration(timeout)}; it is still asked for`, {
      advice: `To withdraw it: kubectl annotate pod -n ${key.namespace} ${pod} ${annotationKeys.demote}- ${annotationKeys.switchoverTo}-`,
    });
  } finally {
    stopping.abort(new Error("nobody waits any more"));
  }
}

/** The API server's versions of one object are numbers that grow. */
function versionOf({ metadata }: Pod): bigint {
  return BigInt(metadata?.resourceVersion ?? 0);
}

function givenUp(name: string): Failure {
  return new Failure("the operator has given the switchover up, and the primary is the same", {
    advice: `See kubectl moco status ${name} for the reason.`,
  });
}

/** Follows the cluster, its Pods and its events. */
async function startWatching({ client, namespace }: Session, { metadata }: MySQLCluster, signal: AbortSignal) {
  const { name } = metadata;
  const namespaces = [namespace];
  const aboutCluster = { fieldSelector: `involvedObject.kind=MySQLCluster,involvedObject.name=${name}` };
  const clusters = createInformer(client, MySQLClusters, { namespaces, fieldSelector: `metadata.name=${name}` });
  const pods = createInformer(client, Pods, { namespaces, labelSelector: formatSelector(clusterLabels(name)) });
  const events = createInformer(client, Events, { namespaces, ...aboutCluster });
  // Those of the past are not about this switchover. Whoever may not read events is told none.
  const past = await client.list(Events, { namespace, ...aboutCluster, signal }).catch(() => undefined);
  /** By resourceVersion, which is another one when an event happens again. */
  const told = new Set(past?.items.map(({ metadata }) => metadata?.resourceVersion));
  let bell = Promise.withResolvers<void>();
  const ring = (): void => bell.resolve();
  for (const informer of past ? [clusters, pods, events] : [clusters, pods]) {
    informer.subscribe({ added: ring, updated: ring, deleted: ring });
    void informer.run(signal);
  }
  await Promise.all([clusters, pods].map((informer) => informer.waitForSync(signal)));
  return {
    async changed(signal: AbortSignal): Promise<void> {
      await raceAbort(bell.promise, signal);
      bell = Promise.withResolvers();
    },
    newEvents(): Event[] {
      const found = events.cache.list().filter(({ metadata }) => !told.has(metadata?.resourceVersion));
      for (const { metadata } of found) told.add(metadata?.resourceVersion);
      return found;
    },
    read: (): Progress => ({
      cluster: clusters.cache.list()[0],
      pods: new Map(pods.cache.list().map((pod) => [pod.metadata?.name ?? "", pod])),
    }),
  };
}
