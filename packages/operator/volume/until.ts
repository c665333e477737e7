import { withDeadline, type Clock } from "@moco-ts/base";
import type { Informer, Key, KubeObject } from "@moco-ts/kube";

/** Milliseconds in which Kubernetes' own controllers do their part: usually it takes them far less than one second. */
const patience = 20_000;

/** Waits until the copy of an object is as `isSo` says, without asking the API server. Returns it as it is then. */
export function until<T extends KubeObject>(
  informer: Informer<T>,
  key: Key,
  isSo: (object: T | undefined) => boolean,
  { what, clock, signal }: { readonly what: string; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<T | undefined> {
  return withDeadline({ what, milliseconds: patience, clock, signal }, async (deadline) => {
    const { promise, resolve } = Promise.withResolvers<T | undefined>();
    const look = (): void => {
      const object = informer.cache.get(key);
      if (isSo(object)) resolve(object);
    };
    const unsubscribe = informer.subscribe({ added: look, updated: look, deleted: look });
    deadline.addEventListener("abort", unsubscribe, { once: true });
    look();
    return promise.finally(unsubscribe);
  });
}
