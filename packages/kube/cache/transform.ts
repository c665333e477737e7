import type { KubeObject } from "../types/object.ts";

/** Changes an object before it is kept, or drops it by returning undefined. It may change what it is given. */
export type Transform<T> = (object: T) => T | undefined;

/** Lets go of managedFields, which is often half of an object, but for the entries of `managers`. */
export function dropManagedFields<T extends KubeObject>(managers: readonly string[] = []): (object: T) => T {
  return (object) => {
    if (!object.metadata?.managedFields) return object;
    // Rest instead of delete: V8 turns objects that a property is deleted from into larger and slower dictionaries.
    const { managedFields, ...metadata } = object.metadata;
    const kept = managedFields.filter((entry) => managers.includes(entry.manager ?? ""));
    object.metadata = kept.length > 0 ? { ...metadata, managedFields: kept } : metadata;
    return object;
  };
}

/**
 * Makes an object and all that is in it unchangeable. Readers of a cache share its objects: a change by one of them would be
 * a fault in another, far away. It takes a few microseconds for an object and no memory.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const name in value) deepFreeze(value[name]);
  return Object.freeze(value);
}
