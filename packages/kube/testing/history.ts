import { expect } from "vitest";
import type { Informer } from "../cache/informer.ts";
import type { Client, Selection } from "../rest/client.ts";
import { keyOf, type Key, type KubeObject } from "../types/object.ts";

/** What a handler was told, played back as it comes: every event must fit to what was told before. */
export class History<T extends KubeObject> {
  readonly objects = new Map<Key, T>();
  /** One line per event: `added default/one 17`, the number being the resourceVersion. */
  readonly lines: string[] = [];
  readonly contradictions: string[] = [];

  follow(informer: Informer<T>): void {
    informer.subscribe({
      added: (object) => this.#tell("added", object, undefined),
      updated: (object, old) => this.#tell("updated", object, old),
      deleted: (object) => this.#tell("deleted", object, this.objects.get(keyOf(object))),
    });
  }

  #tell(verb: "added" | "updated" | "deleted", object: T, old: T | undefined): void {
    const key = keyOf(object);
    const line = `${verb} ${key} ${object.metadata?.resourceVersion}`;
    const known = this.objects.get(key);
    const isSameObject = known?.metadata?.uid === object.metadata?.uid;
    const fits = verb === "added" ? known === undefined : known !== undefined && known === old && isSameObject;
    if (!fits) this.contradictions.push(`${line} after ${known ? known.metadata?.resourceVersion : "nothing"}`);
    if (verb === "deleted") this.objects.delete(key);
    else this.objects.set(key, object);
    this.lines.push(line);
  }
}

/** Cache and history come to agree with the server, and the history was never at odds with itself. */
export async function expectConverged<T extends KubeObject>(
  client: Client,
  informer: Informer<T>,
  history: History<T>,
  selection: Selection = {},
): Promise<void> {
  const versions = (objects: Iterable<T>): string[] =>
    Array.from(
      objects,
      (object) => `${keyOf(object)} ${object.metadata?.uid} ${object.metadata?.resourceVersion}`,
    ).sort();
  const { items } = await client.list(informer.resource, selection);
  await expect.poll(() => versions(informer.cache.list()), { timeout: 30_000, interval: 100 }).toEqual(versions(items));
  expect(history.contradictions).toEqual([]);
  expect(versions(history.objects.values())).toEqual(versions(items));
}
