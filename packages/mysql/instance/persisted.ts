import type { Clock } from "@moco-ts/base";
import type { Connection } from "../connection/connection.ts";

/** What somebody persisted, which counts from the next start of mysqld on. */
export interface Persisted {
  readonly name: string;
  readonly value: string;
}

const statement = "SELECT VARIABLE_NAME AS name, VARIABLE_VALUE AS value FROM performance_schema.persisted_variables";

/** Milliseconds. */
const timeout = 1_000;
const maximumAge = 60_000;

/**
 * Settings that were persisted, read now and then on a connection that is made for it and can be lost: like all lists of
 * variables, this one hangs while somebody's CREATE USER waits for an acknowledgement.
 */
export class PersistedSettings {
  readonly #connect: () => Promise<Connection>;
  readonly #clock: Clock;
  #known: readonly Persisted[] = [];
  #readAt = -Infinity;

  constructor(connect: () => Promise<Connection>, clock: Clock) {
    this.#connect = connect;
    this.#clock = clock;
  }

  /** What is known of them. If that is old they are read, for the next one who asks. */
  get known(): readonly Persisted[] {
    if (this.#clock.monotonic() - this.#readAt > maximumAge) {
      // Tried again later: what they say does not matter before mysqld's next start.
      this.read().catch(() => undefined);
    }
    return this.#known;
  }

  async read(): Promise<readonly Persisted[]> {
    this.#readAt = this.#clock.monotonic();
    const connection = await this.#connect();
    try {
      this.#known = await connection.query<Persisted & object>(statement, [], { timeout });
      return this.#known;
    } finally {
      await connection.close();
    }
  }

  forget(): void {
    this.#known = [];
    this.#readAt = -Infinity;
  }
}
