import { withDeadline, type Clock } from "@moco-ts/base";
import { connect, MysqlError, type Connection, type ConnectOptions } from "@moco-ts/mysql";
import { isListening } from "./listening.ts";

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
    const connection = this.#connection?.usable ? this.#connection : await this.#connect(deadline);
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

  /**
   * mysqld's admin port is one of those that the kernel gives to whoever connects to something. Who tries to connect to it
   * while nobody listens may be given the very same: it is connected with itself then, and for a minute after that mysqld
   * can't be started, since its port is in use.
   */
  async #connect(deadline: AbortSignal): Promise<Connection> {
    const { port } = this.#options;
    if (port !== undefined && !(await isListening(port))) {
      throw new MysqlError(
        "MYSQLD_NOT_LISTENING",
        `nobody listens at port ${port}: mysqld does not run, or is still starting`,
      );
    }
    return connect(this.#options, deadline);
  }
}
