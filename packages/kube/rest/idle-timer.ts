import type { Clock } from "@moco-ts/base";

/** Notices a connection that is open but dead. One timer is re-armed as it fires, not with every chunk. */
export function createIdleTimer(
  clock: Clock,
  milliseconds: number | undefined,
  onIdle: (milliseconds: number) => void,
): { touch(): void; stop(): void } {
  if (milliseconds === undefined) return { touch: () => undefined, stop: () => undefined };
  let heardAt = clock.monotonic();
  let cancel = (): void => undefined;
  const arm = (wait: number): void => {
    cancel = clock.schedule(wait, () => {
      const left = heardAt + milliseconds - clock.monotonic();
      if (left > 0) arm(left);
      else onIdle(milliseconds);
    });
  };
  arm(milliseconds);
  return {
    touch: () => void (heardAt = clock.monotonic()),
    stop: () => cancel(),
  };
}
