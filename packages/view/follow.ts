import { MySQLClusters, type ClusterKey } from "@moco-ts/api";
import { raceAbort, sleep, type Logger } from "@moco-ts/base";
import {
  createInformer,
  Events,
  PersistentVolumeClaims,
  Pods,
  StatefulSets,
  type Client,
  type Event,
  type Informer,
  type KubeObject,
} from "@moco-ts/kube";
import { assembleView } from "./assemble/view.ts";
import type { ViewOptions } from "./collect.ts";
import { createInquirer } from "./instances/ask.ts";
import type { Answers } from "./instances/report.ts";
import { createLifeline } from "./lifeline.ts";
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
  // The first look is a whole one. It also tells what may not be read, which watches would try for ever.
  const first = await readObjects(client, key, signal);
  const lifeline = createLifeline(options, key);
  const ending = new AbortController();
  const stop = AbortSignal.any([signal, ending.signal]);
  const inquirer = createInquirer(options);
  const bell = createBell();
  const sources = startSources(key, first, { client, logger: lifeline.logger, onChange: bell.ring }, stop);
  let answers: Answers | undefined;
  const asking = (async () => {
    for (;;) {
      await lifeline.check(stop);
      answers = await inquirer.ask(sources.read().pods ?? [], stop);
      bell.ring();
      await sleep(clock, askInterval, stop);
    }
  })();
  // It ends only by the signal, which whoever follows sees for himself.
  asking.catch(() => undefined);
  try {
    for (;;) {
      await bell.wait(stop);
      await sleep(clock, gatheringTime, stop);
      bell.silence();
      const { cluster, ...objects } = sources.read();
      if (!cluster) return;
      if (!answers) continue;
      const problems = [...first.problems, ...lifeline.problems()];
      yield assembleView({ ...objects, cluster, problems }, answers, clock.now());
    }
  } finally {
    ending.abort(new Error("nobody follows any more"));
    inquirer.close();
  }
}

interface Sources {
  read(): Omit<ClusterObjects, "cluster" | "problems"> & { cluster: ClusterObjects["cluster"] | undefined };
}

/** What was read `first` counts until the watches have caught up. */
function startSources(
  key: ClusterKey,
  first: ClusterObjects,
  { client, logger, onChange }: { client: Client; logger: Logger; onChange: () => void },
  signal: AbortSignal,
): Sources {
  const { cluster, statefulSet, members, events } = selectionsOf(key);
  const common = { namespaces: [key.namespace], logger };
  const follow = <T extends KubeObject>(
    informer: Informer<T>,
    before: readonly T[] | undefined,
  ): (() => readonly T[] | undefined) => {
    informer.subscribe({ added: onChange, updated: onChange, deleted: onChange });
    void informer.run(signal);
    return () => (informer.hasSynced() ? informer.cache.list() : before);
  };
  const transform = (event: Event): Event | undefined => (isEventOf(key, event) ? event : undefined);
  const clusters = follow(createInformer(client, MySQLClusters, { ...cluster, ...common }), [first.cluster]);
  const statefulSets = follow(createInformer(client, StatefulSets, { ...statefulSet, ...common }), first.statefulSets);
  const pods = follow(createInformer(client, Pods, { ...members, ...common }), first.pods);
  const claims = follow(createInformer(client, PersistentVolumeClaims, { ...members, ...common }), first.claims);
  const told = follow(createInformer(client, Events, { ...events, ...common, transform }), first.events);
  return {
    read: () => ({
      cluster: clusters()?.[0],
      statefulSets: statefulSets(),
      pods: pods(),
      claims: claims(),
      events: told(),
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
