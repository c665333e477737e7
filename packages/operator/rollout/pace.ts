import type { Clock } from "@moco-ts/base";
import type { Key } from "@moco-ts/kube";

export interface PaceOptions {
  /** Milliseconds between two members that are taken down, over all clusters. 0: none. */
  readonly interval: number;
  /** Clusters that are updated at the same time. 0: as many as there are. */
  readonly budget: number;
  /** Clusters that are seen to be in the middle of an update. Only asked for if there is a budget. */
  readonly rolling: () => Iterable<Key>;
  /** Called for clusters that wait when another one has been updated. */
  readonly wake: (key: Key) => void;
  readonly clock: Clock;
}

export type Permission =
  /** `giveBack`: nothing came of it, so that somebody else may go. */
  | { readonly granted: true; readonly giveBack: () => void }
  /** To be asked again after so many milliseconds, at the latest. */
  | { readonly granted: false; readonly reason: string; readonly after: number };

/** Clusters that wait for others are woken; this is for what nobody saw. */
const recheck = 10_000;

/** Keeps many clusters from being updated at once, when a new controller or image concerns them all. */
export class Pace {
  readonly #options: PaceOptions;
  /** Clusters that began to be updated, which copies may not show yet. */
  readonly #beginning = new Set<Key>();
  readonly #rolling = new Set<Key>();
  readonly #waiting = new Set<Key>();
  #last = Number.NEGATIVE_INFINITY;

  constructor(options: PaceOptions) {
    this.#options = options;
  }

  /** Tells what copies show of a cluster. */
  see(key: Key, isRolling: boolean): void {
    if (isRolling) {
      this.#beginning.delete(key);
      this.#rolling.add(key);
    } else if (this.#rolling.delete(key)) {
      for (const each of this.#waiting) this.#options.wake(each);
      this.#waiting.clear();
    }
  }

  /** The cluster is gone. */
  forget(key: Key): void {
    this.#beginning.delete(key);
    this.see(key, false);
  }

  /** Asks whether a member of the cluster may be taken down now. */
  ask(key: Key): Permission {
    const now = this.#options.clock.monotonic();
    const after = this.#last + this.#options.interval - now;
    if (after > 0) return { granted: false, after, reason: "--partition-update-interval is not over" };
    const before = this.#ahead(key);
    if (before) {
      this.#waiting.add(key);
      return { granted: false, after: recheck, reason: `--max-concurrent-rollouts is used up by ${before.join(", ")}` };
    }
    const [last, isNew] = [this.#last, !this.#beginning.has(key)];
    this.#last = now;
    this.#beginning.add(key);
    const giveBack = (): void => {
      if (this.#last === now) this.#last = last;
      if (isNew) this.#beginning.delete(key);
    };
    return { granted: true, giveBack };
  }

  /** The clusters that have to be done before this one may begin. One that has begun goes on. */
  #ahead(key: Key): Key[] | undefined {
    const { budget, rolling } = this.#options;
    if (budget === 0) return undefined;
    const ahead = new Set([...rolling(), ...this.#beginning]);
    return ahead.has(key) || ahead.size < budget ? undefined : [...ahead];
  }
}
