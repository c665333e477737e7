import type { Pod } from "@moco-ts/kube";
import { followPods, type OperatorCluster } from "../testing/index.ts";

/** A Pod that was replaced. */
export interface Restart {
  readonly pod: string;
  /** When its end began, and when its successor was Ready, in milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
}

/** Follows the Pods of a MySQLCluster, to tell afterwards what happened to them. */
export class Members {
  readonly restarts: Restart[] = [];
  readonly #stopping = new AbortController();
  readonly #pods = new Map<string, Pod>();
  readonly #ending = new Map<string, number>();
  #wanted: number;
  #most = 0;
  #worst = "all were up";

  private constructor(wanted: number) {
    this.#wanted = wanted;
  }

  /** All `wanted` Pods should be there and Ready. */
  static async follow(operator: OperatorCluster, cluster: string, wanted: number): Promise<Members> {
    const members = new Members(wanted);
    const informer = await followPods(operator, cluster, {}, members.#stopping.signal);
    informer.subscribe({
      added: (pod) => members.#see(pod),
      updated: (pod) => members.#see(pod),
      deleted: (pod) => members.#see(pod, true),
    });
    members.expect(wanted);
    return members;
  }

  /** From now on so many are wanted; what was counted before is forgotten. */
  expect(wanted: number): void {
    this.#wanted = wanted;
    this.#most = 0;
    this.restarts.length = 0;
    this.#count();
  }

  /** The most members that were down at the same time. */
  get mostDown(): number {
    return this.#most;
  }

  /** Who was down when most were, and why. */
  get worst(): string {
    return this.#worst;
  }

  stop(): void {
    this.#stopping.abort(new Error("nobody looks any more"));
  }

  #see(pod: Pod, isGone = false): void {
    const name = pod.metadata!.name!;
    if (isGone) this.#pods.delete(name);
    else this.#pods.set(name, pod);
    if (isGone || pod.metadata?.deletionTimestamp !== undefined) {
      if (!this.#ending.has(name)) this.#ending.set(name, Date.now());
    } else if (isReady(pod) && this.#ending.has(name)) {
      this.restarts.push({ pod: name, from: this.#ending.get(name)!, to: Date.now() });
      this.#ending.delete(name);
    }
    this.#count();
  }

  #count(): void {
    const pods = [...this.#pods.values()];
    const down = this.#wanted - pods.filter(isUp).length;
    if (down <= this.#most) return;
    this.#most = down;
    this.#worst = `${new Date().toISOString()}: ${pods.map(describe).join(", ")}`;
  }
}

function isUp(pod: Pod): boolean {
  return pod.metadata?.deletionTimestamp === undefined && isReady(pod);
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
}

function describe({ metadata, status }: Pod): string {
  const { name, deletionTimestamp } = metadata!;
  if (deletionTimestamp !== undefined) return `${name} is ending`;
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return `${name} Ready=${ready?.status} ${ready?.message ?? ""}`.trim();
}
