/** What a worker is asked for: so many seeds from the first on. */
export interface Batch {
  readonly first: number;
  readonly count: number;
}

export interface BatchResult {
  readonly batch: Batch;
  readonly acknowledged: number;
  /** Milliseconds of simulated time. */
  readonly duration: number;
  /** The longest, in milliseconds of simulated time. */
  readonly recovery: number;
  readonly failures: readonly { readonly seed: number; readonly violation: string }[];
}
