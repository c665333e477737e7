/**
 * cache: a local copy of a collection that follows the API server.
 *
 * `createInformer` joins a Reflector, which knows what the server has, with a store that can be read by key and by index,
 * and with handlers that are told what changed. Reading costs no request; what is read may be a moment old.
 */
import { raceAbort, silentLogger, type Logger } from "@moco-ts/base";
import { resourceName } from "../reflector/metrics.ts";
import { Reflector, type ReflectorOptions } from "../reflector/reflector.ts";
import type { Client } from "../rest/client.ts";
import { keyOf, type KubeObject } from "../types/object.ts";
import type { Resource } from "../types/resource.ts";
import { ChangeFeed } from "./change-feed.ts";
import type { Informer } from "./informer.ts";
import { ObjectStore } from "./object-store.ts";
import type { IndexFunction } from "./store.ts";
import { deepFreeze, dropManagedFields, type Transform } from "./transform.ts";

export interface InformerOptions<T extends KubeObject> extends Omit<ReflectorOptions, "namespace"> {
  /** Only these namespaces, each with a watch of its own. Default: all, in one watch. */
  readonly namespaces?: readonly string[] | undefined;
  /** For `byIndex`. An index function that throws finds nothing for that object. */
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>> | undefined;
  /** Field managers whose managedFields are kept; those of all others are dropped. Default: none. */
  readonly keepManagedFieldsOf?: readonly string[] | undefined;
  /** Lets go of what nobody reads, or of whole objects. One that throws leaves the object as it is. */
  readonly transform?: Transform<T> | undefined;
}

/**
 * @example
 * const pods = createInformer(client, Pods, { indexes: { node: (pod) => [pod.spec?.nodeName ?? ""] } });
 * pods.subscribe({ deleted: (pod) => queue.add(keyOf(pod)) });
 * void pods.run(signal);
 * await pods.waitForSync(signal);
 */
export function createInformer<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  options: InformerOptions<T> = {},
): Informer<T> {
  const logger = (options.logger ?? silentLogger).with({ resource: resourceName(resource) });
  const store = new ObjectStore<T>(guardedIndexes(options.indexes, logger));
  const feed = new ChangeFeed(store, logger);
  const reduce = createReduction(options, logger);
  const prepare = (object: T): T | undefined => {
    // Relists bring back what we have: keeping the old copy keeps memory flat and needs no work.
    const known = store.get(keyOf(object));
    return known && isUnchanged(known, object) ? known : reduce(object);
  };

  const scopes = options.namespaces ?? [undefined];
  const unsynced = new Set(scopes);
  const synced = Promise.withResolvers<void>();
  const reflectors = scopes.map((namespace) => {
    const sink = {
      prepare,
      upsert: feed.upsert.bind(feed),
      remove: feed.remove.bind(feed),
      replace(objects: ReadonlyMap<string, T>) {
        feed.replace(objects, namespace);
        unsynced.delete(namespace);
        if (unsynced.size === 0) synced.resolve();
      },
    };
    return new Reflector(client, resource, sink, { ...options, namespace });
  });

  return {
    resource,
    cache: store,
    subscribe: (handler) => feed.subscribe(handler),
    hasSynced: () => unsynced.size === 0,
    waitForSync: (signal) => raceAbort(synced.promise, signal),
    async run(signal) {
      await Promise.all(reflectors.map((reflector) => reflector.run(signal)));
    },
  };
}

/** What is kept of an object: without what nobody reads, and unchangeable. */
function createReduction<T extends KubeObject>(options: InformerOptions<T>, logger: Logger): Transform<T> {
  const drop = dropManagedFields<T>(options.keepManagedFieldsOf);
  const { transform = (object) => object } = options;
  return (object) => {
    const dropped = drop(object);
    try {
      return deepFreeze(transform(dropped));
    } catch (error) {
      logger.error("a transform threw", { error, object: keyOf(object) });
      return deepFreeze(dropped);
    }
  };
}

function guardedIndexes<T extends KubeObject>(
  indexes: Readonly<Record<string, IndexFunction<T>>> | undefined,
  logger: Logger,
): Record<string, IndexFunction<T>> {
  const guard =
    (name: string, valuesOf: IndexFunction<T>): IndexFunction<T> =>
    (object) => {
      try {
        return valuesOf(object);
      } catch (error) {
        logger.error("an index function threw", { error, index: name, object: keyOf(object) });
        return [];
      }
    };
  return Object.fromEntries(Object.entries(indexes ?? {}).map(([name, valuesOf]) => [name, guard(name, valuesOf)]));
}

function isUnchanged(one: KubeObject, other: KubeObject): boolean {
  const { uid, resourceVersion } = other.metadata ?? {};
  return resourceVersion !== undefined && one.metadata?.resourceVersion === resourceVersion && one.metadata.uid === uid;
}
