/**
 * Connections to mysqld on which nothing waits without a deadline: a frozen mysqld accepts connections and never greets,
 * and a statement can hang behind another. The driver's own time-outs only stop waiting, so a connection on which a
 * deadline passed is destroyed: nobody knows what it would answer next.
 */
import { once } from "node:events";
import { connect as openSocket, type Socket } from "node:net";
import { createConnection, type Connection as Driver, type ConnectionOptions } from "mysql2";
import { systemClock, withDeadline, type Clock } from "@moco-ts/base";
import { MysqlError, withoutSecrets } from "./errors.ts";

export interface TlsOptions {
  /** PEM of whom to trust. */
  readonly authorities: string;
  /** PEM, if the server asks for it. */
  readonly certificate?: string;
  readonly privateKey?: string;
  /** The name that the server's certificate must be valid for. Default: the host's, which can't be an address then. */
  readonly serverName?: string;
}

export interface ConnectOptions {
  /** Where mysqld is: `socketPath`, or `host` and `port`. */
  readonly socketPath?: string;
  readonly host?: string;
  readonly port?: number;
  readonly user: string;
  readonly password: string;
  /** Default: no TLS. */
  readonly tls?: TlsOptions;
  /** Milliseconds until logged in. Default 5,000. */
  readonly connectTimeout?: number;
  /** Milliseconds for a statement that has no deadline of its own. Default 30,000. */
  readonly queryTimeout?: number;
  /** Whether one query may have several statements, which mysqld carries out even if we are gone. Default false. */
  readonly multipleStatements?: boolean;
  readonly clock?: Clock;
}

export interface QueryOptions {
  /** Milliseconds. Infinity for none. Default: the connection's. */
  readonly timeout?: number;
  readonly signal?: AbortSignal | undefined;
}

export type Row = Readonly<Record<string, unknown>>;

/** A value that must not appear in an error's message. */
export class Secret {
  readonly value: string;

  constructor(value: string) {
    this.value = value;
  }
}

export type Value = string | number | bigint | null | Secret;

/**
 * Logs in. Rejects with a MysqlError, or when a deadline or the signal is there first.
 *
 * @example
 * const connection = await connect({ socketPath: "/run/mysqld.sock", user: "moco-agent", password }, signal);
 * const [row] = await connection.query("SELECT @@read_only AS readOnly");
 */
export async function connect(options: ConnectOptions, signal?: AbortSignal): Promise<Connection> {
  const { clock = systemClock, connectTimeout = 5_000 } = options;
  // The socket is ours, since the driver's way of destroying a connection waits for the other side to close it too.
  const socket = openSocketTo(options);
  const driver = createConnection({ ...driverOptions(options, connectTimeout), stream: socket });
  // Errors between two statements are told by the next one.
  driver.on("error", () => undefined);
  const what = `connecting to mysqld at ${addressOf(options)} as ${options.user}`;
  try {
    await withDeadline({ what, milliseconds: connectTimeout, clock, signal }, () => once(driver, "connect"));
    return new Connection(driver, socket, options, clock);
  } catch (error) {
    driver.destroy();
    socket.destroy();
    signal?.throwIfAborted();
    throw failure(error, what, [options.password]);
  }
}

export class Connection {
  readonly #driver: Driver;
  readonly #socket: Socket;
  readonly #options: ConnectOptions;
  readonly #clock: Clock;
  #usable = true;

  constructor(driver: Driver, socket: Socket, options: ConnectOptions, clock: Clock) {
    this.#driver = driver;
    this.#socket = socket;
    this.#options = options;
    this.#clock = clock;
    const end = (): void => void (this.#usable = false);
    driver.on("error", end);
    driver.on("end", end);
    socket.once("close", end);
    // Whoever waits for its end does so for a moment, and again and again.
    socket.setMaxListeners(0);
  }

  /** False once it is closed, or was lost. */
  get usable(): boolean {
    return this.#usable;
  }

  /** Calls back when it is closed, or was lost. The returned function ends the wait. */
  onEnd(callback: () => void): () => void {
    this.#socket.once("close", callback);
    return () => this.#socket.off("close", callback);
  }

  /** What KILL takes. */
  get id(): number {
    return this.#driver.threadId;
  }

  /** Runs a statement. `?` stands for the values, in order. Timestamps are strings, and so are integers over 2^53. */
  async query<R extends object = Row>(
    statement: string,
    values: readonly Value[] = [],
    options: QueryOptions = {},
  ): Promise<R[]> {
    const { timeout = this.#options.queryTimeout ?? 30_000, signal } = options;
    const [words = ""] = /^\s*\w+(\s+\w+)?/.exec(statement) ?? [];
    const what = `${words.trim()} on mysqld at ${addressOf(this.#options)}`;
    const plain = values.map((value) => (value instanceof Secret ? value.value : value));
    const secrets = values.filter((value) => value instanceof Secret).map(({ value }) => value);
    if (!this.#usable) throw new MysqlError("PROTOCOL_CONNECTION_LOST", `${what}: the connection was lost`);
    try {
      return await withDeadline({ what, milliseconds: timeout, clock: this.#clock, signal }, () =>
        this.#run<R>(statement, plain),
      );
    } catch (error) {
      const answered = error instanceof Error && "sqlMessage" in error && !("fatal" in error && error.fatal);
      if (!answered) this.destroy();
      signal?.throwIfAborted();
      throw failure(error, what, secrets);
    }
  }

  /** Says goodbye, and hangs up if that takes longer than a second. Never rejects. */
  async close(): Promise<void> {
    if (!this.#usable) return;
    this.#usable = false;
    const ended = new Promise<void>((resolve) => this.#driver.end(() => resolve()));
    try {
      await withDeadline({ what: "closing", milliseconds: 1_000, clock: this.#clock }, () => ended);
    } catch {
      // A frozen mysqld does not answer: it will notice.
      this.destroy();
    }
  }

  destroy(): void {
    this.#usable = false;
    this.#driver.destroy();
    this.#socket.destroy();
  }

  #run<R>(sql: string, values: readonly (string | number | bigint | null)[]): Promise<R[]> {
    return new Promise((resolve, reject) => {
      this.#driver.query({ sql, values: [...values] }, (error, rows) => {
        if (error) reject(error);
        else resolve(Array.isArray(rows) ? (rows as R[]) : []);
      });
    });
  }
}

function openSocketTo({ socketPath, host = "localhost", port = 3306 }: ConnectOptions): Socket {
  return socketPath === undefined ? openSocket({ host, port, noDelay: true, keepAlive: true }) : openSocket(socketPath);
}

function driverOptions(options: ConnectOptions, connectTimeout: number): ConnectionOptions {
  const { socketPath, host, port, user, password, tls } = options;
  return {
    // We have the socket: to the driver the host is only the name that the certificate must have, and the socket's path
    // the reason why a password may be sent over it.
    ...(socketPath === undefined ? { host: tls?.serverName ?? host, port } : { socketPath }),
    user,
    password,
    connectTimeout,
    charset: "UTF8MB4_GENERAL_CI",
    multipleStatements: options.multipleStatements ?? false,
    dateStrings: true,
    supportBigNumbers: true,
    // Reading rows by compiled code does not pay for a few rows, and the code would stay in memory.
    disableEval: true,
    // None is prepared, and the room for them is made in advance: half a megabyte with the driver's own limit.
    maxPreparedStatements: 1,
    ...(tls && {
      ssl: {
        ca: tls.authorities,
        ...(tls.certificate !== undefined && { cert: tls.certificate }),
        ...(tls.privateKey !== undefined && { key: tls.privateKey }),
        rejectUnauthorized: true,
        verifyIdentity: true,
      },
    }),
  };
}

function failure(error: unknown, what: string, secrets: readonly string[]): Error {
  if (error instanceof MysqlError) return error;
  if (error instanceof Error && "code" in error && error.code === "DEADLINE_EXCEEDED") return error;
  return withoutSecrets(error, what, secrets);
}

function addressOf({ socketPath, host = "localhost", port = 3306 }: ConnectOptions): string {
  return socketPath ?? `${host}:${port}`;
}
