import { CodedError } from "@moco-ts/base";
import type { Key, KubeObject } from "../types/object.ts";
import type { IndexFunction, Reader } from "./store.ts";

/** Objects by key, and by whatever the indexes say. */
export class ObjectStore<T extends KubeObject> implements Reader<T> {
  readonly #objects = new Map<Key, T>();
  readonly #indexes: readonly { name: string; valuesOf: IndexFunction<T>; members: Map<string, Map<Key, T>> }[];

  constructor(indexes: Readonly<Record<string, IndexFunction<T>>> = {}) {
    this.#indexes = Object.entries(indexes).map(([name, valuesOf]) => ({ name, valuesOf, members: new Map() }));
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: Key): T | undefined {
    return this.#objects.get(key);
  }

  list(): readonly T[] {
    return [...this.#objects.values()];
  }

  byIndex(name: string, value: string): readonly T[] {
    const index = this.#indexes.find((each) => each.name === name);
    if (!index) throw new CodedError("INDEX_UNKNOWN", `there is no index ${JSON.stringify(name)}`);
    return [...(index.members.get(value)?.values() ?? [])];
  }

  entries(): IterableIterator<[Key, T]> {
    return this.#objects.entries();
  }

  set(key: Key, object: T): void {
    const old = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const { valuesOf, members } of this.#indexes) {
      if (old) dropMember(members, valuesOf(old), key);
      for (const value of valuesOf(object)) {
        const found = members.get(value);
        if (found) found.set(key, object);
        else members.set(value, new Map([[key, object]]));
      }
    }
  }

  delete(key: Key): void {
    const old = this.#objects.get(key);
    if (!old) return;
    this.#objects.delete(key);
    for (const { valuesOf, members } of this.#indexes) dropMember(members, valuesOf(old), key);
  }
}

/** Values that nobody has any more are forgotten: an index by owner must not grow with every owner there ever was. */
function dropMember<T>(members: Map<string, Map<Key, T>>, values: readonly string[], key: Key): void {
  for (const value of values) {
    const found = members.get(value);
    found?.delete(key);
    if (found?.size === 0) members.delete(value);
  }
}
