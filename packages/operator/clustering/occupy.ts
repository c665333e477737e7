import { sleep, type Clock } from "@moco-ts/base";

export interface Occupation {
  /** Ordinals of instances on which such work is done. */
  readonly occupied: Set<number>;
  readonly clock: Clock;
  /** Look again, as something has ended that no watch tells of. */
  readonly wake: () => void;
}

/** Milliseconds until work that failed may begin again. */
const pauseAfterFailure = 5_000;

/**
 * Does work on an instance that may take long, such as a clone. Nobody waits for it, so that the rest of the cluster is
 * looked after meanwhile, and nothing else is done to this instance.
 */
export function occupy(
  ordinal: number,
  { occupied, clock, wake }: Occupation,
  work: () => Promise<void>,
  failed: (error: unknown) => void,
): void {
  if (occupied.has(ordinal)) return;
  occupied.add(ordinal);
  const run = async (): Promise<void> => {
    try {
      await work();
    } catch (error) {
      failed(error);
      await sleep(clock, pauseAfterFailure);
    } finally {
      occupied.delete(ordinal);
      wake();
    }
  };
  void run();
}
