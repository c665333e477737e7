import { withDeadline, type Clock } from "@moco-ts/base";
import { connect, type Connection, type ConnectOptions } from "@moco-ts/mysql";

export interface SessionOptions extends ConnectOptions {
  readonly clock: Clock;
  /** Milliseconds after which a connection that nobody uses is closed. */
  readonly maxIdleTime: number;
}

/**
 * One connection to mysqld, opened when it is needed, used by one at a time, and given up when anything about it is
 * doubtful: so it survives every restart of mysqld.
 */
export class Session {
  readonly #options: SessionOptions;
  #connection: Connection | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #stopIdling: () => void = () => undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  /**
   * Calls `work` with the connection when those who asked before are done. All of that together takes no longer than
   * `milliseconds`, whatever mysqld does.
   */
  async use<T>(milliseconds: number, work: (connection: Connection) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { clock } = this.#options;
    const options = { what: "asking mysqld", milliseconds, clock, signal };
    const before = this.#last;
    const turn = withDeadline(options, async (deadline) => {
      await before;
      deadline.throwIfAborted();
      return this.#run(work, deadline);
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async close(): Promise<void> {
    this.#stopIdling();
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close();
  }

  async #run<T>(work: (connection: Connection) => Promise<T>, deadline: AbortSignal): Promise<T> {
    this.#stopIdling();
    const connection = this.#connection?.usable ? this.#connection : await connect(this.#options, deadline);
    this.#connection = connection;
    const hangUp = (): void => connection.destroy();
    deadline.addEventListener("abort", hangUp, { once: true });
    try {
      return await work(connection);
    } finally {
      deadline.removeEventListener("abort", hangUp);
      this.#stopIdling = this.#options.clock.schedule(this.#options.maxIdleTime, () => void this.close());
    }
  }
}
