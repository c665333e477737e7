import { MySQLClusters, type ClusterKey } from "@moco-ts/api";
import { raceAbort, sleep } from "@moco-ts/base";
import {
  createInformer,
  Events,
  PersistentVolumeClaims,
  Pods,
  StatefulSets,
  type Informer,
  type KubeObject,
} from "@moco-ts/kube";
import { assembleView } from "./assemble/view.ts";
import type { ViewOptions } from "./collect.ts";
import { createInquirer } from "./instances/ask.ts";
import type { Answers } from "./instances/report.ts";
import type { ClusterView } from "./model.ts";
import { isEventOf, readObjects, selectionsOf, type ClusterObjects } from "./objects.ts";

export interface FollowOptions extends ViewOptions {
  /** Milliseconds between two questions to the instances. Default 2,000. */
  readonly askInterval?: number | undefined;
}

/** Changes come in groups: what comes within so many milliseconds is looked at together. */
const gatheringTime = 100;

/**
 * Looks at a cluster and again whenever something has changed, until it is deleted or the signal is aborted. The API
 * server is watched, not asked again; the instances are asked over connections that stay open.
 */
export async function* followView(
  key: ClusterKey,
  options: FollowOptions,
  signal: AbortSignal,
): AsyncGenerator<ClusterView, void, void> {
  const { client, clock, askInterval = 2_000 } = options;
  // Also tells what may not be read, which watches would try for ever.
  const { problems } = await readObjects(client, key, signal);
  const ending = new AbortController();
  const stop = AbortSignal.any([signal, ending.signal]);
  const inquirer = createInquirer(options);
  const bell = createBell();
  const sources = startSources(key, options, bell.ring, stop);
  let answers: Answers = new Map();
  const asking = (async () => {
    await sources.waitForSync(stop);
    for (;;) {
      answers = await inquirer.ask(sources.read().pods, stop);
      bell.ring();
      await sleep(clock, askInterval, stop);
    }
  })();
  // It ends only by the signal, which whoever follows sees for himself.
  asking.catch(() => undefined);
  try {
    await sources.waitForSync(stop);
    for (;;) {
      await bell.wait(stop);
      await sleep(clock, gatheringTime, stop);
      bell.silence();
      const { cluster, ...objects } = sources.read();
      if (!cluster) return;
      yield assembleView({ ...objects, cluster, problems }, answers, clock.now());
    }
  } finally {
    ending.abort(new Error("nobody follows any more"));
    inquirer.close();
  }
}

interface Sources {
  waitForSync(signal: AbortSignal): Promise<void>;
  read(): Omit<ClusterObjects, "cluster" | "problems"> & { cluster: ClusterObjects["cluster"] | undefined };
}

function startSources(key: ClusterKey, { client }: ViewOptions, onChange: () => void, signal: AbortSignal): Sources {
  const { cluster, statefulSet, members, events } = selectionsOf(key);
  const namespaces = [key.namespace];
  const start = <T extends KubeObject>(informer: Informer<T>): Informer<T> => {
    informer.subscribe({ added: onChange, updated: onChange, deleted: onChange });
    void informer.run(signal);
    return informer;
  };
  const select = { clusters: { ...cluster, namespaces }, statefulSets: { ...statefulSet, namespaces } };
  const clusters = start(createInformer(client, MySQLClusters, select.clusters));
  const statefulSets = start(createInformer(client, StatefulSets, select.statefulSets));
  const pods = start(createInformer(client, Pods, { ...members, namespaces }));
  const claims = start(createInformer(client, PersistentVolumeClaims, { ...members, namespaces }));
  const transform = (event: Parameters<typeof isEventOf>[1]) => (isEventOf(key, event) ? event : undefined);
  const told = start(createInformer(client, Events, { ...events, namespaces, transform }));
  return {
    // The others may not be readable: what they have comes when it comes.
    waitForSync: (signal) => clusters.waitForSync(signal),
    read: () => ({
      cluster: clusters.cache.list()[0],
      statefulSet: statefulSets.cache.list()[0],
      pods: pods.cache.list(),
      claims: claims.cache.list(),
      events: told.cache.list(),
    }),
  };
}

/** Rung by many, heard by one. */
function createBell() {
  let rung = Promise.withResolvers<void>();
  return {
    ring: (): void => rung.resolve(),
    silence: (): void => void (rung = Promise.withResolvers()),
    wait: (signal: AbortSignal): Promise<void> => raceAbort(rung.promise, signal),
  };
}
