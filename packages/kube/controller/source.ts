import type { Clock } from "@moco-ts/base";
import { controllerOf } from "../apply/owner.ts";
import type { Informer } from "../cache/informer.ts";
import type { Priority } from "../queue/lanes.ts";
import { keyOf, type Key, type KubeObject } from "../types/object.ts";
import type { Resource } from "../types/resource.ts";
import { indirectUrgency, urgency, type Change, type Predicate } from "./change.ts";

/** Where keys come from. */
export interface Source {
  /** Begins to give keys. The returned function ends it. */
  start(context: { readonly enqueue: (key: Key, priority: Priority) => void; readonly clock: Clock }): () => void;
  /** Resolves when all that exists has been given: no key is worked on before that. */
  waitForSync?(signal: AbortSignal): Promise<void>;
}

export interface ChangesOptions<T extends KubeObject> {
  /** Which changes count. Default: all. */
  readonly when?: Predicate<T>;
  /** Whose keys an object concerns; asked for the old and the new one. Default: the object's own. */
  readonly map?: (object: T) => Iterable<Key>;
  /** Default: what a person edited goes first, what was there already comes last. */
  readonly priority?: (change: Change<T>) => Priority;
}

/**
 * The changes that an informer sees. It is started by whoever made it.
 *
 * @example changesOf(statefulSets, { map: ownedBy(MySQLClusters) })
 */
export function changesOf<T extends KubeObject>(informer: Informer<T>, options: ChangesOptions<T> = {}): Source {
  const { map = (object: T) => [keyOf(object)], when = () => true } = options;
  const { priority = options.map ? indirectUrgency : urgency } = options;
  const counts = (change: Change<T>): boolean => {
    try {
      return when(change);
    } catch {
      return true; // A look too many is harmless, a missed change is not.
    }
  };
  return {
    start({ enqueue }) {
      let joining = true;
      const pass = (change: Change<T>): void => {
        if (!counts(change)) return;
        const keys = new Set(change.type === "updated" ? map(change.old) : []);
        for (const key of map(change.object)) keys.add(key);
        for (const key of keys) enqueue(key, priority(change));
      };
      const unsubscribe = informer.subscribe({
        added: (object) => pass({ type: "added", object, known: joining || !informer.hasSynced() }),
        updated: (object, old) => pass({ type: "updated", object, old }),
        deleted: (object) => pass({ type: "deleted", object }),
      });
      joining = false;
      return unsubscribe;
    },
    waitForSync: (signal) => informer.waitForSync(signal),
  };
}

/** Looks at the given keys again and again: for what no watch tells of. */
export function every(milliseconds: number, keys: () => Iterable<Key>): Source {
  return {
    start({ enqueue, clock }) {
      let cancel = (): void => undefined;
      const wait = (): void => {
        cancel = clock.schedule(milliseconds, () => {
          wait();
          for (const key of keys()) enqueue(key, "low");
        });
      };
      wait();
      return () => cancel();
    },
  };
}

/** Maps an object to the one of kind `resource` that is its controller. */
export function ownedBy(resource: Resource): (object: KubeObject) => Key[] {
  return (object) => {
    const owner = controllerOf(object);
    if (!owner || owner.kind !== resource.kind || groupOf(owner.apiVersion) !== resource.group) return [];
    return [keyOf({ namespace: resource.namespaced ? object.metadata?.namespace : undefined, name: owner.name })];
  };
}

/** Versions of one group are the same objects. */
function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}
