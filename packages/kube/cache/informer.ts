import type { KubeObject } from "../types/object.ts";
import type { Resource } from "../types/resource.ts";
import type { Reader } from "./store.ts";

/**
 * Told of every change in order. An object that was deleted and created again under the same name (another UID) comes as
 * deleted, then added. Handlers must be quick and must not throw; they pass keys on.
 */
export interface ChangeHandler<T extends KubeObject> {
  added?(object: T): void;
  updated?(object: T, old: T): void;
  deleted?(object: T): void;
}

/** A cache that follows the API server. */
export interface Informer<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly cache: Reader<T>;
  /** A handler that joins late is told of all present objects as added. The returned function removes it. */
  subscribe(handler: ChangeHandler<T>): () => void;
  /** True once the first full list has been delivered to all handlers. */
  hasSynced(): boolean;
  waitForSync(signal: AbortSignal): Promise<void>;
  /** Lists and watches until the signal is aborted. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
}
