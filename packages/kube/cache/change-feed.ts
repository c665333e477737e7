import type { Logger } from "@moco-ts/base";
import type { Key, KubeObject } from "../types/object.ts";
import type { ChangeHandler } from "./informer.ts";
import type { ObjectStore } from "./object-store.ts";

/**
 * Brings a store up to date one object at a time and tells handlers of each step right after it, so that whoever reads the
 * store from a handler, or joins in the middle, sees exactly what it was told.
 */
export class ChangeFeed<T extends KubeObject> {
  readonly #store: ObjectStore<T>;
  readonly #logger: Logger;
  /** Replaced, never changed: a handler that joins or leaves while an event goes round doesn't disturb the round. */
  #handlers: readonly ChangeHandler<T>[] = [];

  constructor(store: ObjectStore<T>, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
  }

  subscribe(handler: ChangeHandler<T>): () => void {
    this.#handlers = [...this.#handlers, handler];
    for (const object of this.#store.list()) this.#tell(handler, (each) => each.added?.(object));
    return () => {
      this.#handlers = this.#handlers.filter((each) => each !== handler);
    };
  }

  upsert(key: Key, object: T): void {
    const old = this.#store.get(key);
    if (old && isSame(old, object)) {
      if (old.metadata?.resourceVersion === object.metadata?.resourceVersion) return;
      this.#store.set(key, object);
      this.#tellAll((handler) => handler.updated?.(object, old));
      return;
    }
    // Another object of the same name: the old one was deleted while we were not looking.
    if (old) this.remove(key, old);
    this.#store.set(key, object);
    this.#tellAll((handler) => handler.added?.(object));
  }

  /** `last` is the object's last state, if it is known. */
  remove(key: Key, last: T | undefined): void {
    const old = this.#store.get(key);
    if (!old) return;
    this.#store.delete(key);
    const deleted = last && isSame(last, old) ? last : old;
    this.#tellAll((handler) => handler.deleted?.(deleted));
  }

  /** Makes the part of the store that is in `namespace`, or all of it, equal to `objects`. */
  replace(objects: ReadonlyMap<Key, T>, namespace: string | undefined): void {
    for (const [key, object] of this.#store.entries()) {
      const isOurs = namespace === undefined || object.metadata?.namespace === namespace;
      if (isOurs && !objects.has(key)) this.remove(key, undefined);
    }
    for (const [key, object] of objects) this.upsert(key, object);
  }

  #tellAll(tell: (handler: ChangeHandler<T>) => void): void {
    for (const handler of this.#handlers) this.#tell(handler, tell);
  }

  #tell(handler: ChangeHandler<T>, tell: (handler: ChangeHandler<T>) => void): void {
    try {
      tell(handler);
    } catch (error) {
      this.#logger.error("a handler of changes threw", { error });
    }
  }
}

/** The UID tells an object from another one that came after it under the same name. */
function isSame(one: KubeObject, other: KubeObject): boolean {
  return one.metadata?.uid === other.metadata?.uid;
}
