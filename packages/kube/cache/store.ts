import type { Key, KubeObject } from "../types/object.ts";

/** What readers see of a cache. Objects are shared and must not be changed. */
export interface Reader<T extends KubeObject> {
  get(key: Key): T | undefined;
  list(): readonly T[];
  /** Objects whose index `name` contains `value`. Throws if there is no such index. */
  byIndex(name: string, value: string): readonly T[];
  readonly size: number;
}

/** Gives the values under which an object is found. */
export type IndexFunction<T> = (object: T) => readonly string[];
