/** For tests: lists and watches as the API server serves them, in memory, with faults at the push of a button. */
import { raceAbort } from "@moco-ts/base";
import type { Client, ListOptions, WatchEvent, WatchOptions } from "../rest/client.ts";
import { ConnectionError, KubeError } from "../rest/errors.ts";
import type { ConfigMap } from "../types/generated/index.ts";

type Change = {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly revision: number;
  readonly object: ConfigMap;
};

interface State {
  readonly revision: number;
  readonly objects: ReadonlyMap<string, ConfigMap>;
  readonly log: readonly Change[];
}

export class ModelServer {
  /** What it makes of a request for a list by events: older servers refuse it or have never heard of it. */
  events: "served" | "refused" | "ignored" = "served";
  /** Thrown at whoever asks, if set. */
  failure: Error | undefined;
  /** What it was asked for, in order. */
  readonly requests: string[] = [];
  #state: State = { revision: 1, objects: new Map(), log: [] };
  #forgottenUntil = 0;
  /** Ends the watches of the moment when it settles. */
  #end = Promise.withResolvers<"broken" | "ended">();
  #changed = Promise.withResolvers<void>();
  #created = 0;

  put(name: string, value: string): void {
    const old = this.#state.objects.get(name);
    const revision = this.#state.revision + 1;
    const uid = old?.metadata?.uid ?? `uid-${++this.#created}`;
    const metadata = { namespace: "default", name, uid, resourceVersion: String(revision) };
    this.#record({ type: old ? "MODIFIED" : "ADDED", revision, object: { metadata, data: { value } } });
  }

  delete(name: string): void {
    const old = this.#state.objects.get(name);
    if (!old) return;
    const revision = this.#state.revision + 1;
    const metadata = { ...old.metadata, resourceVersion: String(revision) };
    this.#record({ type: "DELETED", revision, object: { ...old, metadata } });
  }

  /** Changes up to now can't be watched any more. */
  compact(): void {
    this.#forgottenUntil = this.#state.revision;
  }

  backup(): State {
    return this.#state;
  }

  /** The storage is what it was; whoever watches is cut off. */
  restore(backup: State, how?: "broken" | "ended"): void {
    this.#state = backup;
    this.#forgottenUntil = backup.revision;
    this.cut(how);
  }

  /** Watches end: broken, or as if their time were up. */
  cut(how: "broken" | "ended" = "broken"): void {
    this.#end.resolve(how);
    this.#end = Promise.withResolvers();
  }

  /** Everything there is, as a list gives it. */
  get objects(): readonly ConfigMap[] {
    return structuredClone([...this.#state.objects.values()]);
  }

  readonly client = {
    list: (_resource: unknown, options: ListOptions) => this.#list(options),
    scan: (_resource: unknown, _options: unknown, onItem: (item: ConfigMap) => void) => this.#scan(onItem),
    watch: (_resource: unknown, options: WatchOptions) => this.#watch(options),
  } as unknown as Client;

  #record(change: Change): void {
    const objects = new Map(this.#state.objects);
    const { name = "" } = change.object.metadata ?? {};
    if (change.type === "DELETED") objects.delete(name);
    else objects.set(name, change.object);
    this.#state = { revision: change.revision, objects, log: [...this.#state.log, change] };
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  async #list({ limit = 500, continue: token }: ListOptions) {
    this.requests.push(token ? `list after ${token}` : "list");
    if (this.failure) throw this.failure;
    const [revision, start] = (token ?? `${this.#state.revision} 0`).split(" ").map(Number) as [number, number];
    if (token && revision < this.#state.revision) throw expired();
    const end = start + limit;
    const metadata = {
      resourceVersion: String(revision),
      ...(end < this.#state.objects.size && { continue: `${revision} ${end}` }),
    };
    return { metadata, items: this.objects.slice(start, end) };
  }

  async #scan(onItem: (item: ConfigMap) => void) {
    this.requests.push("scan");
    if (this.failure) throw this.failure;
    const resourceVersion = String(this.#state.revision);
    for (const item of this.objects) onItem(item);
    return { resourceVersion };
  }

  async *#watch(options: WatchOptions): AsyncGenerator<WatchEvent<ConfigMap>> {
    this.requests.push(options.sendInitialEvents ? "events" : `watch from ${options.resourceVersion}`);
    if (this.failure) throw this.failure;
    const ended = this.#end.promise;
    let position = Number(options.resourceVersion);
    if (options.sendInitialEvents) {
      if (this.events === "refused") throw new KubeError("forbidden", { status: 422, reason: "Invalid" });
      position = this.#state.revision;
      for (const object of this.objects) yield { type: "ADDED", object };
      yield { type: "BOOKMARK", resourceVersion: String(position), initialEventsEnd: this.events === "served" };
    } else if (position < this.#forgottenUntil) {
      throw expired();
    }
    for (;;) {
      const next = this.#state.log.find((change) => change.revision > position);
      if (next) {
        position = next.revision;
        yield { type: next.type, object: structuredClone(next.object) };
      }
      // Also between changes that are already there: a watch can end anywhere.
      const waiting = Promise.race([ended, next ? undefined : this.#changed.promise]);
      const outcome = await (options.signal ? raceAbort(waiting, options.signal) : waiting);
      if (outcome === "broken") throw new ConnectionError("the connection broke");
      if (outcome === "ended") return;
    }
  }
}

function expired(): KubeError {
  return new KubeError("too old resource version", { status: 410, reason: "Expired" });
}
