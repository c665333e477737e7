/**
 * The connections to one instance. All are opened before they are needed: while a CREATE USER waits for an acknowledgement
 * nobody can log in. Each belongs to one mysqld process, whose server_uuid can't change, so it is asked for once.
 */
import { raceAbort, type Clock } from "@moco-ts/base";
import { connect, type Connection } from "../connection/connection.ts";
import { MysqlError } from "../connection/errors.ts";
import { takeOperatorLock } from "./lock.ts";

export interface ConnectionsOptions {
  readonly host: string;
  /** The admin port: open even when all other connections are used up. */
  readonly port: number;
  /** Asked for each time, since passwords may change. */
  readonly login: () => Promise<{ readonly user: string; readonly password: string }>;
  /** Throws if this process is no longer the one that may change instances. Asked before others lose that right. */
  readonly mayChange?: () => void;
  readonly clock: Clock;
}

export interface Opened {
  readonly connection: Connection;
  readonly uuid: string;
}

/** Milliseconds to be logged in. */
export const connectTimeout = 1_000;
/** Milliseconds for a statement that changes something. */
export const changeTimeout = 5_000;

/**
 * Nothing that users set globally reaches us: other quoting, limits of time, commits by hand. A lock is waited for as
 * long as the statement has time, since one that gives up takes back what it has done.
 *
 * The last one fails if this session may not look at anything. Who logs in while the user is still being made has no
 * privileges for as long as the session lasts, so that such a connection must not be kept.
 */
const setUp = `
  SET SESSION sql_mode = '', autocommit = ON, max_execution_time = 0, time_zone = '+00:00',
    wait_timeout = 31536000, lock_wait_timeout = 31536000;
  SELECT @@GLOBAL.server_uuid AS uuid;
  SELECT STATE FROM performance_schema.clone_status LIMIT 0`;

type Role = "look" | "change" | Taken;

/** Connections for statements that may hang, with what they are kept for. */
type Taken = "closing" | "spare";

const forChanges = ["change", "closing", "spare"] as const satisfies Role[];

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #opened = new Map<Role, Opened>();
  readonly #opening = new Map<Role, Promise<Opened>>();
  #closed = false;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** For short questions, and for KILL while another connection hangs. */
  look(signal?: AbortSignal): Promise<Opened> {
    return this.#get("look", signal);
  }

  /** Calls back when the connection for questions has ended. The returned function ends the wait. */
  onLookEnd(callback: () => void): () => void {
    return this.#opened.get("look")?.connection.onEnd(callback) ?? (() => undefined);
  }

  /** For changes: holds the operator's lock. Rejects if the server at this address is another. */
  async change(uuid: string, signal?: AbortSignal): Promise<Connection> {
    return same(await this.#get("change", signal), uuid);
  }

  /** For a statement that may hang. It is the caller's from now on, to be given back when the statement has ended. */
  async take(role: Taken, uuid: string, signal?: AbortSignal): Promise<Connection> {
    // Whoever may not change the instance may not do so by this connection either.
    await this.change(uuid, signal);
    const taken = same(await this.#get(role, signal), uuid);
    this.#opened.delete(role);
    return taken;
  }

  giveBack(role: Taken, connection: Connection, uuid: string): void {
    if (!connection.usable) return;
    if (this.#closed || this.#opened.has(role)) connection.destroy();
    else this.#opened.set(role, { connection, uuid });
  }

  /** One that is the caller's to close. */
  async openAnother(): Promise<Connection> {
    return (await this.#connect()).connection;
  }

  /** Opens all of them, so that no change has to wait for a login. */
  async prepare(signal?: AbortSignal): Promise<void> {
    await this.#get("look", signal);
    await Promise.all(forChanges.map((role) => this.#get(role, signal)));
  }

  get isPrepared(): boolean {
    return forChanges.every((role) => this.#opened.get(role)?.connection.usable);
  }

  /** Ids of those that are open: they never kill one another. */
  get ids(): number[] {
    return [...this.#opened.values()].map(({ connection }) => connection.id);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const all = [...this.#opened.values()];
    this.#opened.clear();
    await Promise.all(all.map(({ connection }) => connection.close()));
  }

  async #get(role: Role, signal?: AbortSignal): Promise<Opened> {
    const opened = this.#opened.get(role);
    if (opened?.connection.usable) return opened;
    let opening = this.#opening.get(role);
    if (opening === undefined) {
      opening = this.#open(role).finally(() => this.#opening.delete(role));
      this.#opening.set(role, opening);
    }
    return signal ? raceAbort(opening, signal) : opening;
  }

  async #open(role: Role): Promise<Opened> {
    const opened = await this.#connect();
    try {
      if (role === "change") {
        this.#options.mayChange?.();
        await takeOperatorLock(opened.connection);
      }
      if (this.#closed) throw new MysqlError("INSTANCE_CLOSED", "nobody needs this instance any more");
      this.#opened.set(role, opened);
      return opened;
    } catch (error) {
      opened.connection.destroy();
      throw error;
    }
  }

  async #connect(): Promise<Opened> {
    const { host, port, login, clock } = this.#options;
    const options = { host, port, connectTimeout, queryTimeout: changeTimeout, multipleStatements: true, clock };
    const connection = await connect({ ...options, ...(await login()) });
    try {
      const results = await connection.query<{ uuid: string }[]>(setUp, [], { timeout: connectTimeout });
      return { connection, uuid: results[1]![0]!.uuid };
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }
}

function same({ connection, uuid }: Opened, wanted: string): Connection {
  if (uuid === wanted) return connection;
  throw new MysqlError("INSTANCE_REPLACED", `the server at this address is ${uuid}, and not ${wanted}`);
}
