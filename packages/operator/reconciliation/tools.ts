import type { Clock, Logger } from "@moco-ts/base";
import type { Applied, Applier, Client, Configuration, EventRecorder, Informer, KubeObject } from "@moco-ts/kube";
import type { Caches } from "../caches.ts";
import type { Config } from "../config.ts";
import type { ClusterMetrics } from "../metrics.ts";
import type { Announcements } from "../rollout/announcements.ts";
import type { AgentAuthority } from "./certificates/authority.ts";

/** What reconciling works with. */
export interface Tools {
  /** Writes only while this replica leads. */
  readonly client: Client;
  readonly applier: Applier;
  readonly caches: Caches;
  readonly config: Config;
  readonly authority: AgentAuthority;
  readonly announcements: Announcements;
  readonly clock: Clock;
  readonly events: Pick<EventRecorder, "record">;
  readonly metrics: ClusterMetrics;
  readonly logger: Logger;
  readonly randomBytes: (size: number) => Uint8Array;
  /** A whole number from 0 below the limit. */
  readonly randomInteger: (limit: number) => number;
}

/**
 * Applies what is wanted, unless the cache shows that it is so already. Returns the object as it is then. With a version,
 * no other version of the object is changed.
 */
export async function ensure<T extends KubeObject>(
  { applier, caches }: Tools,
  informer: Informer<T>,
  wanted: Configuration<T>,
  signal: AbortSignal,
  resourceVersion?: string,
): Promise<Applied<T>> {
  const live = liveOf(informer, wanted);
  const namesakes = caches.namesakes.get(informer.resource.plural);
  const absent = live === undefined && namesakes !== undefined && liveOf(namesakes, wanted) === undefined;
  return applier.apply(informer.resource, wanted, { live, absent, resourceVersion, signal });
}

export function liveOf<T extends KubeObject>(
  informer: Informer<T>,
  { metadata }: Configuration<KubeObject>,
): T | undefined {
  return informer.cache.get(`${metadata.namespace}/${metadata.name}`);
}
