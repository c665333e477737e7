import type { Role } from "@moco-ts/api";
import { KubeError } from "@moco-ts/kube";
import type { Record } from "../ports.ts";
import type { Memory, PodView } from "../snapshot.ts";

/** What a kubelet says of a container. */
export interface Container {
  readonly id: string;
  /** When it ended, if it has. */
  readonly ended: number | undefined;
}

export interface PodObject extends PodView {
  readonly container: Container | undefined;
  /** The one before. */
  readonly previous: Container | undefined;
}

/** All objects, as they are at one moment. Nothing in it changes. */
export interface Objects {
  readonly record: Record;
  readonly replicas: number;
  /** `status.errantReplicaList`. */
  readonly errant: readonly number[];
  /** server_uuids of processes that have ended, by the word of a person. */
  readonly ended: readonly string[];
  /** By ordinal. */
  readonly pods: readonly (PodObject | undefined)[];
}

/** The API server: one truth, and everybody who watches it. */
export class ApiServer {
  #objects: Objects;
  #version = 1;
  readonly #watchers = new Set<(objects: Objects) => void>();
  /** Called before the record is changed, with the time at which that was asked for. */
  onRecord: (before: Record, after: Record, asked: number) => void = () => undefined;

  constructor(replicas: number) {
    this.#objects = {
      record: { version: "1", primaryIndex: 0, memory: undefined },
      replicas,
      errant: [],
      ended: [],
      pods: [],
    };
  }

  get objects(): Objects {
    return this.#objects;
  }

  get memory(): Memory | undefined {
    return this.#objects.record.memory;
  }

  /** The returned function ends it. */
  watch(watcher: (objects: Objects) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** Somebody has written to the cluster's object: what was read before can't be written back. */
  touch(): void {
    this.#change({ record: { ...this.#objects.record, version: String(++this.#version) } });
  }

  writeRecord(
    version: string,
    change: { readonly primaryIndex?: number; readonly memory: Memory },
    asked: number,
  ): Record {
    const before = this.#objects.record;
    // Without a version there is no precondition.
    if (version !== "" && before.version !== version)
      throw new KubeError(`conflict: the record is of version ${before.version}`, { status: 409, reason: "Conflict" });
    const { primaryIndex = before.primaryIndex, memory } = change;
    const record = { version: String(++this.#version), primaryIndex, memory };
    this.onRecord(before, record, asked);
    this.#change({ record });
    return record;
  }

  setErrant(errant: readonly number[]): void {
    if (errant.join() === this.#objects.errant.join()) return;
    this.#change({ errant });
    this.touch();
  }

  declareEnded(ended: readonly string[]): void {
    this.#change({ ended });
    this.touch();
  }

  scale(replicas: number): void {
    this.#change({ replicas });
    this.touch();
  }

  createPod(ordinal: number, pod: PodObject): void {
    this.#setPod(ordinal, pod);
  }

  removePod(ordinal: number): void {
    this.#setPod(ordinal, undefined);
  }

  /** Nothing happens if there is no such Pod any more. */
  changePod(ordinal: number, change: Partial<PodObject>, uid?: string): void {
    const pod = this.#objects.pods[ordinal];
    if (pod === undefined || (uid !== undefined && pod.uid !== uid)) return;
    const names = Object.keys(change) as (keyof PodObject)[];
    if (names.some((name) => pod[name] !== change[name])) this.#setPod(ordinal, { ...pod, ...change });
  }

  label(ordinal: number, role: Role | undefined): void {
    if (this.#objects.pods[ordinal] === undefined) throw new Error("there is no such Pod");
    this.changePod(ordinal, { role });
  }

  /** A kubelet says that it has started a container. */
  containerStarted(ordinal: number, id: string): void {
    const previous = this.#objects.pods[ordinal]?.container;
    this.changePod(ordinal, { container: { id, ended: undefined }, previous });
  }

  containerEnded(ordinal: number, id: string, ended: number): void {
    if (this.#objects.pods[ordinal]?.container?.id === id) this.changePod(ordinal, { container: { id, ended } });
  }

  #setPod(ordinal: number, pod: PodObject | undefined): void {
    const pods = [...this.#objects.pods];
    pods[ordinal] = pod;
    this.#change({ pods });
  }

  #change(change: Partial<Objects>): void {
    this.#objects = { ...this.#objects, ...change };
    for (const watcher of this.#watchers) watcher(this.#objects);
  }
}
