/** Makes faults happen, and ends those that last. */
import type { Leadership } from "../leadership.ts";
import type { World } from "../world.ts";
import type { FaultContext } from "./context.ts";
import { faultWeights, stepsOf, type FaultName } from "./kinds.ts";

export class Faults {
  readonly #world: World;
  readonly #context: FaultContext;
  readonly #focus: readonly FaultName[];
  /** What ends the faults that still last. */
  readonly #mending = new Set<() => void>();
  #isOver = false;

  /** `focus`: which kinds happen most of the time. */
  constructor(world: World, leadership: Leadership, focus: readonly FaultName[] = []) {
    const { machines, random, api, story, scheduler } = world;
    this.#world = world;
    this.#focus = focus;
    const primary = () => machines.processes.find(({ disk }) => disk.uuid === api.memory?.primary);
    this.#context = {
      world,
      leadership,
      primary,
      victim: () => {
        const found = primary();
        return found && random.chance(0.6) ? found : random.pick(machines.processes);
      },
      replica: () => random.pick(machines.processes.filter(({ disk }) => disk.uuid !== api.memory?.primary)),
      tell: (what) => story.tell("fault", what),
      lasting: (milliseconds, end) => {
        const mend = (): void => {
          if (this.#mending.delete(mend)) end();
        };
        this.#mending.add(mend);
        scheduler.after(milliseconds, mend);
      },
    };
  }

  /** Ends everything that still lasts; nothing new begins. */
  calm(): void {
    this.#isOver = true;
    this.#world.story.tell("world", "faults stop");
    for (const mend of this.#mending) mend();
  }

  inject(): void {
    const { random, scheduler } = this.#world;
    const focused = random.chance(0.7) ? random.pick(this.#focus) : undefined;
    const name = focused ?? random.weighted(faultWeights);
    let delay = 0;
    for (const fault of stepsOf(name)) {
      scheduler.after(delay, () => {
        if (!this.#isOver) fault(this.#context);
      });
      delay += random.between(0, 2_000);
    }
  }
}
