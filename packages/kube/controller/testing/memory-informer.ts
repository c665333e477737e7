import { raceAbort } from "@moco-ts/base";
import type { ChangeHandler, Informer } from "../../cache/informer.ts";
import type { Reader } from "../../cache/store.ts";
import { keyOf, type Key, type KubeObject } from "../../types/object.ts";
import type { Resource } from "../../types/resource.ts";

/** An informer without a server: tests say what changes. */
export class MemoryInformer<T extends KubeObject> implements Informer<T> {
  readonly resource: Resource<T>;
  readonly #objects = new Map<Key, T>();
  readonly #handlers = new Set<ChangeHandler<T>>();
  readonly #synced = Promise.withResolvers<void>();
  readonly #whileRunning: (signal: AbortSignal) => Promise<void>;
  #hasSynced = false;
  readonly cache: Reader<T>;

  /** `whileRunning` stands for what a real one does until it is told to stop. */
  constructor(resource: Resource<T>, whileRunning: (signal: AbortSignal) => Promise<void> = untilAborted) {
    this.resource = resource;
    this.#whileRunning = whileRunning;
    const objects = this.#objects;
    this.cache = {
      get: (key) => objects.get(key),
      list: () => [...objects.values()],
      byIndex: () => [],
      get size() {
        return objects.size;
      },
    };
  }

  set(object: T): void {
    const old = this.#objects.get(keyOf(object));
    this.#objects.set(keyOf(object), object);
    for (const handler of this.#handlers) {
      if (old) handler.updated?.(object, old);
      else handler.added?.(object);
    }
  }

  delete(key: Key): void {
    const object = this.#objects.get(key)!;
    this.#objects.delete(key);
    for (const handler of this.#handlers) handler.deleted?.(object);
  }

  sync(): void {
    this.#hasSynced = true;
    this.#synced.resolve();
  }

  get subscribers(): number {
    return this.#handlers.size;
  }

  subscribe(handler: ChangeHandler<T>): () => void {
    this.#handlers.add(handler);
    for (const object of this.#objects.values()) handler.added?.(object);
    return () => this.#handlers.delete(handler);
  }

  hasSynced(): boolean {
    return this.#hasSynced;
  }

  waitForSync(signal: AbortSignal): Promise<void> {
    return raceAbort(this.#synced.promise, signal);
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#whileRunning(signal);
  }
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  await raceAbort(new Promise<never>(() => undefined), signal).catch(() => undefined);
}
