import type { Key, KubeObject } from "../types/object.ts";

/** Who is told what the server has. Calls come in the order in which things happened, and must not throw. */
export interface Sink<T extends KubeObject> {
  /**
   * What is kept of an object that came in; undefined if nothing is. Called once for each, before any of the others, so
   * that what nobody reads is let go of while a long list is still under way.
   */
  prepare(object: T): T | undefined;
  /** Everything there is, after a list. */
  replace(objects: ReadonlyMap<Key, T>): void;
  upsert(key: Key, object: T): void;
  /** `last` is the object's last state, unless nothing of it is kept. */
  remove(key: Key, last: T | undefined): void;
}
