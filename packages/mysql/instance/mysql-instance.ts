import { systemClock, withDeadline, type Clock } from "@moco-ts/base";
import type { Connection } from "../connection/connection.ts";
import type { GtidSet } from "../gtidset/gtidset.ts";
import * as channel from "./channel.ts";
import { changeTimeout, Connections, type ConnectionsOptions } from "./connections.ts";
import { cutOff, startClosing, type Closing } from "./cut-off.ts";
import type { Cut, Instance, ReplicationSource } from "./instance.ts";
import { letGo } from "./let-go.ts";
import { look } from "./look.ts";
import { makeEmpty } from "./make-empty.ts";
import { nudge } from "./nudge.ts";
import { open } from "./open.ts";
import { PersistedSettings } from "./persisted.ts";
import { acknowledge, requireAcknowledgements } from "./semi-sync.ts";
import { enforceSettings } from "./settings.ts";
import type { InstanceState } from "./state.ts";

export interface MysqlInstanceOptions extends Omit<ConnectionsOptions, "clock"> {
  /** Default: the system's. */
  readonly clock?: Clock;
  /** Milliseconds for a look, whatever mysqld does. Default 1,000. */
  readonly lookTimeout?: number;
}

/** Milliseconds for an acknowledgement that was overdue. It may still come later: the server goes on waiting for it. */
const nudgeTimeout = 500;
/** Milliseconds to remove all data. */
const emptyTimeout = 120_000;

type Change = (connection: Connection, signal: AbortSignal) => Promise<void>;

/**
 * An instance at its admin port.
 *
 * @example
 * const instance = new MysqlInstance({ host: "10.0.0.7", port: 33062, login: async () => ({ user, password }) });
 * const { uuid, replica } = await instance.observe(signal);
 * if (replica?.receiving === "yes") await instance.stopReceiver(uuid, signal);
 */
export class MysqlInstance implements Instance {
  readonly #connections: Connections;
  readonly #persisted: PersistedSettings;
  readonly #clock: Clock;
  readonly #address: string;
  readonly #lookTimeout: number;
  #closing: Closing | undefined;

  constructor(options: MysqlInstanceOptions) {
    this.#clock = options.clock ?? systemClock;
    this.#connections = new Connections({ ...options, clock: this.#clock });
    this.#persisted = new PersistedSettings(() => this.#connections.openAnother(), this.#clock);
    this.#lookTimeout = options.lookTimeout ?? 1_000;
    this.#address = `${options.host}:${options.port}`;
  }

  observe(signal: AbortSignal): Promise<InstanceState> {
    return this.ask((connection, deadline) => look(connection, this.#persisted, deadline), signal);
  }

  /** For short questions on the connection that is always there. It is given up if the answer is late. */
  ask<T>(question: (connection: Connection, signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#within("looking at", this.#lookTimeout, signal, async (deadline) => {
      const { connection } = await this.#connections.look(deadline);
      return question(connection, deadline);
    });
  }

  /** Calls back when the connection that questions are asked on is lost. The returned function ends the wait. */
  onLoss(callback: () => void): () => void {
    return this.#connections.onLookEnd(callback);
  }

  /** Whether a change could be begun without a login. */
  get isPrepared(): boolean {
    return this.#connections.isPrepared;
  }

  /** Opens all connections that changes need, and takes the right to change the instance from all others. */
  prepare(signal: AbortSignal): Promise<void> {
    return this.#within("connecting to", changeTimeout, signal, (deadline) => this.#connections.prepare(deadline));
  }

  async close(): Promise<void> {
    await this.#connections.close();
  }

  async cutOff(uuid: string, options: { readonly patience: number }, signal: AbortSignal): Promise<Cut> {
    const limit = options.patience + changeTimeout;
    return this.#within("cutting off clients of", limit, signal, async (deadline) => {
      const change = await this.#connections.change(uuid, deadline);
      const { connection } = await this.#connections.look(deadline);
      if (this.#closing?.outcome !== "pending") this.#closing = await this.#close(uuid, deadline);
      const closing = this.#closing;
      const rest = { spared: this.#connections.ids, patience: options.patience, clock: this.#clock };
      return cutOff({ look: connection, change, closing, ...rest }, deadline);
    });
  }

  /** The connection is not given up before the statement has ended, however long that takes. */
  async #close(uuid: string, signal: AbortSignal): Promise<Closing> {
    const connection = await this.#connections.take("closing", uuid, signal);
    const closing = startClosing(connection);
    void closing.ended.then(() => this.#connections.giveBack("closing", connection, uuid));
    return closing;
  }

  open(uuid: string, acknowledgements: number, signal: AbortSignal): Promise<void> {
    return this.#change(uuid, signal, (connection, deadline) => open(connection, acknowledgements, deadline));
  }

  leaveOfflineMode(uuid: string, signal: AbortSignal): Promise<void> {
    return this.#change(uuid, signal, async (connection, deadline) => {
      await connection.query("SET GLOBAL offline_mode = OFF", [], { signal: deadline });
    });
  }

  requireAcknowledgements(uuid: string, count: number, signal: AbortSignal): Promise<void> {
    return this.#change(uuid, signal, (connection, deadline) => this.#require(uuid, count, connection, deadline));
  }

  #require(uuid: string, count: number, connection: Connection, signal: AbortSignal): Promise<void> {
    const withSpare = <T>(use: (spare: Connection) => Promise<T>) => this.#withSpare(uuid, signal, use);
    const options = { connection, spared: () => this.#connections.ids, withSpare, clock: this.#clock };
    return requireAcknowledgements(connection, count, (stop) => letGo(options, stop, signal), signal);
  }

  acknowledge(uuid: string, enabled: boolean, signal: AbortSignal): Promise<void> {
    return this.#change(uuid, signal, (connection, deadline) => acknowledge(connection, enabled, deadline));
  }

  attach(uuid: string, source: ReplicationSource, signal: AbortSignal): Promise<void> {
    return this.#change(uuid, signal, (connection, deadline) => channel.attach(connection, source, deadline));
  }

  repoint(uuid: string, source: ReplicationSource, signal: AbortSignal): Promise<void> {
    return this.#change(uuid, signal, (connection, deadline) => channel.repoint(connection, source, deadline));
  }

  startReplica(uuid: string, signal: AbortSignal): Promise<void> {
    return this.#change(uuid, signal, channel.startReplica);
  }

  startReceiver(uuid: string, signal: AbortSignal): Promise<void> {
    return this.#change(uuid, signal, channel.startReceiver);
  }

  stopReceiver(uuid: string, signal: AbortSignal): Promise<void> {
    return this.#change(uuid, signal, channel.stopReceiver);
  }

  startApplier(uuid: string, signal: AbortSignal): Promise<void> {
    return this.#change(uuid, signal, channel.startApplier);
  }

  detach(uuid: string, signal: AbortSignal): Promise<void> {
    return this.#change(uuid, signal, channel.detach);
  }

  hasExecuted(uuid: string, wanted: GtidSet, milliseconds: number, signal: AbortSignal): Promise<boolean> {
    const limit = milliseconds + changeTimeout;
    return this.#within("waiting for", limit, signal, (deadline) =>
      this.#withSpare(uuid, deadline, async (connection) => {
        const [row] = await connection.query<{ late: number }>(
          "SELECT WAIT_FOR_EXECUTED_GTID_SET(?, ?) AS late",
          [wanted.toString(), milliseconds / 1000],
          { timeout: limit, signal: deadline },
        );
        return row!.late === 0;
      }),
    );
  }

  nudge(uuid: string, signal: AbortSignal): Promise<void> {
    return this.#within("nudging", nudgeTimeout, signal, (deadline) =>
      this.#withSpare(uuid, deadline, (connection) => nudge(connection, deadline)),
    );
  }

  enforceSettings(uuid: string, signal: AbortSignal): Promise<void> {
    return this.#change(uuid, signal, async (connection, deadline) => {
      await enforceSettings(connection, () => this.#persisted.read(), deadline);
      this.#persisted.forget();
    });
  }

  makeEmpty(uuid: string, signal: AbortSignal): Promise<void> {
    return this.#within("emptying", emptyTimeout, signal, async (deadline) => {
      const connection = await this.#connections.change(uuid, deadline);
      await makeEmpty(connection, (count) => this.#require(uuid, count, connection, deadline), deadline);
    });
  }

  #change(uuid: string, signal: AbortSignal, change: Change): Promise<void> {
    return this.#within("changing", changeTimeout, signal, async (deadline) => {
      await change(await this.#connections.change(uuid, deadline), deadline);
    });
  }

  async #withSpare<T>(uuid: string, signal: AbortSignal, use: (spare: Connection) => Promise<T>): Promise<T> {
    const spare = await this.#connections.take("spare", uuid, signal);
    try {
      const result = await use(spare);
      this.#connections.giveBack("spare", spare, uuid);
      return result;
    } catch (error) {
      // Nobody knows what it is still doing, or what it holds.
      spare.destroy();
      throw error;
    }
  }

  #within<T>(
    doing: string,
    milliseconds: number,
    signal: AbortSignal,
    operation: (deadline: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return withDeadline({ what: `${doing} ${this.#address}`, milliseconds, clock: this.#clock, signal }, operation);
  }
}
