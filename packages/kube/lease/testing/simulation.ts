import { SimulatedClock, withDeadline, type Clock } from "@moco-ts/base";
import type { Client, RequestOptions } from "../../rest/client.ts";
import { KubeError } from "../../rest/errors.ts";
import type { Lease } from "../../types/generated/index.ts";

/** How bad the network is. */
export interface Weather {
  /** Share of messages that are lost, 0 to 1. */
  readonly loss: number;
  /** Milliseconds that a message takes at most, each way. */
  readonly delay: number;
}

/** One API server with one Lease, and simulated processes around it that may freeze, die and have bad clocks. */
export class World {
  readonly time = new SimulatedClock();
  readonly random: () => number;
  weather: Weather = { loss: 0, delay: 0 };
  lease: Lease | undefined;
  #version = 0;

  constructor(seed: number) {
    this.random = randomNumbers(seed);
  }

  get holder(): string | undefined {
    return this.lease?.spec?.holderIdentity || undefined;
  }

  get(): Lease {
    if (!this.lease) throw new KubeError("no lease", { status: 404, reason: "NotFound" });
    return structuredClone(this.lease);
  }

  create(lease: Lease): Lease {
    if (this.lease) throw new KubeError("there is a lease", { status: 409, reason: "AlreadyExists" });
    return this.#store(lease);
  }

  update(lease: Lease): Lease {
    if (lease.metadata?.resourceVersion !== this.get().metadata?.resourceVersion) {
      throw new KubeError("changed meanwhile", { status: 409, reason: "Conflict" });
    }
    return this.#store(lease);
  }

  #store(lease: Lease): Lease {
    this.lease = { ...structuredClone(lease), metadata: { ...lease.metadata, resourceVersion: `${++this.#version}` } };
    return this.get();
  }
}

/** A process with a clock of its own. Everything that wakes it, timers and answers, waits while it is frozen. */
export class SimulatedProcess {
  readonly clock: Clock;
  readonly client: Client;
  readonly #world: World;
  wallOffset = 0;
  /** Called whenever something has woken the process. */
  afterWake = (): void => undefined;
  #alive = true;
  #frozen = false;
  #deferred: (() => void)[] = [];

  /** `rate`: how fast its clock runs; 1 is right. */
  constructor(world: World, rate: number) {
    const { time } = world;
    this.#world = world;
    this.clock = {
      now: () => time.now() + this.wallOffset,
      monotonic: () => time.monotonic() * rate,
      schedule: (milliseconds, callback) => {
        let cancelled = false;
        const cancel = time.schedule(milliseconds / rate, () => this.#wake(() => !cancelled && callback()));
        return () => {
          cancelled = true;
          cancel();
        };
      },
    };
    const request = <T>(operation: () => T, options: RequestOptions = {}): Promise<T> =>
      withDeadline(
        { what: "request", milliseconds: options.timeout ?? 30_000, clock: this.clock, signal: options.signal },
        () => this.#exchange(operation),
      );
    this.client = {
      get: (_resource: unknown, _key: unknown, options?: RequestOptions) => request(() => world.get(), options),
      create: (_resource: unknown, lease: Lease, options?: RequestOptions) =>
        request(() => world.create(lease), options),
      update: (_resource: unknown, lease: Lease, options?: RequestOptions) =>
        request(() => world.update(lease), options),
    } as unknown as Client;
  }

  get alive(): boolean {
    return this.#alive;
  }

  freeze(): void {
    this.#frozen = true;
  }

  /** What came meanwhile is handled now, one after the other with promises settling in between. */
  thaw(): void {
    this.#frozen = false;
    const deferred = this.#deferred;
    this.#deferred = [];
    for (const callback of deferred) this.#world.time.schedule(0, () => this.#wake(callback));
  }

  kill(): void {
    this.#alive = false;
  }

  #wake(callback: () => void): void {
    if (!this.#alive) return;
    if (this.#frozen) {
      this.#deferred.push(callback);
      return;
    }
    callback();
    this.#world.time.schedule(0, () => this.afterWake());
  }

  #exchange<T>(operation: () => T): Promise<T> {
    const world = this.#world;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const send = (then: () => void): void => {
      const { loss, delay } = world.weather;
      if (world.random() >= loss) world.time.schedule(world.random() * delay, then);
    };
    send(() => {
      let answer: () => void;
      try {
        const result = operation();
        answer = () => resolve(result);
      } catch (error) {
        answer = () => reject(error);
      }
      send(() => this.#wake(answer));
    });
    return promise;
  }
}

/** A small generator (mulberry32), so that a seed repeats a run exactly. */
function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
