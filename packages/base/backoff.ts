/** How waiting times grow: `initial` doubled (or times `factor`) per failure up to `maximum`, with random jitter. */
export interface BackoffOptions {
  /** Milliseconds after the first failure. */
  readonly initial: number;
  /** Never longer than this many milliseconds. */
  readonly maximum: number;
  /** Growth per failure. Default 2. */
  readonly factor?: number;
  /** Share of the delay that is random, 0 to 1, taken off: 0.5 means between half and all of it. Default 0. */
  readonly jitter?: number;
}

/** The wait after the `failures`-th failure in a row (1 is the first). `random` gives numbers in [0, 1). */
export function backoffDelay(options: BackoffOptions, failures: number, random: () => number = Math.random): number {
  const { initial, maximum, factor = 2, jitter = 0 } = options;
  const full = Math.min(initial * factor ** Math.max(failures - 1, 0), maximum);
  return full * (1 - jitter * random());
}
