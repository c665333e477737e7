/**
 * usage: how full volumes are. A source reads the statistics of all volumes that are mounted somewhere, once per round.
 * One that can't tell of some of them tells of the others.
 */

/**
 * Whole numbers, as a metric has them: exact up to 8 PiB, and beyond that exact enough to tell how full a volume is.
 */
export interface VolumeUsage {
  /** Bytes of the file system, as the kubelet sees it. */
  readonly capacity: number;
  /** Bytes that can still be written. */
  readonly available: number;
  /** Missing or 0 where the file system does not count them. */
  readonly inodes?: number | undefined;
  readonly inodesFree?: number | undefined;
}

export interface UsageReport {
  /** By `namespace/name` of the claim. */
  readonly volumes: ReadonlyMap<string, VolumeUsage>;
  /** What could not be read: a node, or a query. */
  readonly failures: readonly UsageFailure[];
}

export interface UsageFailure {
  /** Who did not answer: `node node-1`, `Prometheus`. */
  readonly source: string;
  readonly error: unknown;
}

export interface UsageSource {
  /** Rejects only when the signal is aborted. */
  read(signal: AbortSignal): Promise<UsageReport>;
}

/** The statistics that are read, by the name of their metric. */
export const statistics = {
  available: "kubelet_volume_stats_available_bytes",
  capacity: "kubelet_volume_stats_capacity_bytes",
  inodesFree: "kubelet_volume_stats_inodes_free",
  inodes: "kubelet_volume_stats_inodes",
} as const;

export type Statistic = keyof typeof statistics;

/** Volumes whose statistics come one by one. */
export class UsageCollector {
  readonly #volumes = new Map<string, Record<Statistic, number | undefined>>();

  add(statistic: Statistic, namespace: string, claim: string, value: number): void {
    if (!(value >= 0 && Number.isFinite(value))) return;
    const key = `${namespace}/${claim}`;
    let volume = this.#volumes.get(key);
    if (volume === undefined) {
      volume = { capacity: undefined, available: undefined, inodes: undefined, inodesFree: undefined };
      this.#volumes.set(key, volume);
    }
    volume[statistic] = Math.trunc(value);
  }

  /** Those of which enough is known: a file system without a size is none, and how full it is nobody can say. */
  complete(): Map<string, VolumeUsage> {
    for (const [key, { capacity, available }] of this.#volumes) {
      if (!capacity || available === undefined) this.#volumes.delete(key);
    }
    return this.#volumes as Map<string, VolumeUsage>;
  }
}
