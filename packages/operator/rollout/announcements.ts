import type { Key, Source } from "@moco-ts/kube";

/**
 * Clusters whose StatefulSet is about to change. Between the raise of its partition and the change, all Pods are of the
 * newest revision: nothing but this keeps the rollout from lowering the partition again, so that the two loops would
 * take turns for ever.
 */
export class Announcements implements Source {
  readonly #announced = new Set<Key>();
  #wake: (key: Key) => void = () => undefined;

  announce(key: Key): void {
    this.#announced.add(key);
  }

  /** It has changed, or shall not any more: rolling updates go on. */
  withdraw(key: Key): void {
    if (this.#announced.delete(key)) this.#wake(key);
  }

  has(key: Key): boolean {
    return this.#announced.has(key);
  }

  start({ enqueue }: Parameters<Source["start"]>[0]): () => void {
    this.#wake = (key) => enqueue(key, "normal");
    return () => (this.#wake = () => undefined);
  }
}
