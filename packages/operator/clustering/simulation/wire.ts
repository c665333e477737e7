/** How an operator reaches mysqld: connections, their lock, and all that can happen to a statement on its way. */
import { DeadlineError } from "@moco-ts/base";
import type { Machines } from "./machines.ts";
import type { Mysqld } from "./mysqld.ts";
import type { Network } from "./network.ts";
import type { OperatorProcess } from "./operator-process.ts";
import type { Random } from "./random.ts";
import type { Scheduler } from "./scheduler.ts";

export interface WireSurroundings {
  readonly scheduler: Scheduler;
  readonly random: Random;
  readonly network: Network;
  readonly machines: Machines;
  /** Calls back when something about the network or a process has changed. */
  onDisturbance(callback: () => void): void;
  /** A statement or request is about to be sent. */
  sending(isChange: boolean): void;
}

/** What the server says to a statement, at once or later. */
export interface Reply<T> {
  answer(value: T): void;
  refuse(error: Error): void;
}

/** A connection that may change an instance, as the server sees it. */
interface Connection {
  readonly mysqld: Mysqld;
  killed: boolean;
}

export interface StatementOptions {
  /** Milliseconds until the caller gives up. What was sent may be carried out all the same. */
  readonly deadline: number;
  readonly signal: AbortSignal;
}

export class Wire {
  readonly #world: WireSurroundings;
  readonly #operator: OperatorProcess;
  readonly #connections = new Map<string, Connection>();

  constructor(world: WireSurroundings, operator: OperatorProcess) {
    this.#world = world;
    this.#operator = operator;
  }

  /** A question, by a connection that is only for looking. */
  ask<T>(address: string, options: StatementOptions, execute: (mysqld: Mysqld) => T): Promise<T> {
    return this.#send(address, undefined, options, (mysqld, reply: Reply<T>) => reply.answer(execute(mysqld)));
  }

  /** A change, by the connection that holds the operator's lock. Rejects if the server is another. */
  async change<T>(
    address: string,
    uuid: string,
    options: StatementOptions,
    execute: (mysqld: Mysqld, reply: Reply<T>) => void,
  ): Promise<T> {
    const connection = this.#usable(address) ?? (await this.#connect(address, options));
    if (connection.mysqld.disk.uuid !== uuid) throw new Error(`the server at ${address} is another`);
    try {
      return await this.#send(address, connection, options, execute);
    } catch (error) {
      // A connection on which something went wrong is not used again.
      if (!(error instanceof StatementError)) this.#connections.delete(address);
      throw error;
    }
  }

  #usable(address: string): Connection | undefined {
    const connection = this.#connections.get(address);
    return connection?.mysqld.alive ? connection : undefined;
  }

  async #connect(address: string, options: StatementOptions): Promise<Connection> {
    const connection = await this.#send<Connection>(address, undefined, options, (mysqld, reply) => {
      const holder = mysqld.operatorLock as Connection | undefined;
      if (holder) holder.killed = true;
      const mine = { mysqld, killed: false };
      mysqld.operatorLock = mine;
      reply.answer(mine);
    });
    this.#connections.set(address, connection);
    return connection;
  }

  #send<T>(
    address: string,
    connection: Connection | undefined,
    { deadline, signal }: StatementOptions,
    execute: (mysqld: Mysqld, reply: Reply<T>) => void,
  ): Promise<T> {
    const { machines, random } = this.#world;
    const operator = this.#operator;
    return new Promise<T>((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      this.#world.sending(connection !== undefined);
      const cancel = operator.clock.schedule(deadline, () =>
        settle(() => reject(new DeadlineError(address, deadline))),
      );
      const onAbort = (): void => settle(() => reject(signal.reason as Error));
      signal.addEventListener("abort", onAbort);
      let isSettled = false;
      const settle = (how: () => void): void => {
        if (isSettled) return;
        isSettled = true;
        cancel();
        signal.removeEventListener("abort", onAbort);
        how();
      };
      const back = (how: () => void): void =>
        this.#travel(address, operator.name, true, () => operator.deliver(() => settle(how)));
      const reply: Reply<T> = {
        answer: (value) => back(() => resolve(value)),
        refuse: (error) => back(() => reject(error)),
      };
      const arrive = (): void => {
        const mysqld = machines.at(address);
        const isGone = mysqld === undefined || (connection !== undefined && connection.mysqld !== mysqld);
        if (isGone) return reply.refuse(new Error("connection refused"));
        if (mysqld.frozen) return this.#whenThawed(mysqld, arrive);
        if (connection?.killed) return reply.refuse(new Error("the connection was closed"));
        if (connection === undefined && mysqld.refusing) return reply.refuse(new Error("connection refused"));
        try {
          execute(mysqld, reply);
        } catch (error) {
          reply.refuse(new StatementError((error as Error).message));
        }
      };
      // What can't get through now may get through later: nobody takes it back.
      this.#travel(operator.name, address, random.chance(0.5), arrive);
    });
  }

  #travel(from: string, to: string, isKept: boolean, arrive: () => void): void {
    const { scheduler, network, random } = this.#world;
    const arriveIfPassed = (): void => {
      if (network.passes(from, to)) arrive();
      else if (isKept) this.#world.onDisturbance(tryAgain);
    };
    // The longer nothing got through, the longer are the pauses between attempts.
    const tryAgain = (): void => {
      if (network.passes(from, to)) scheduler.after(random.between(0, 6_000), arriveIfPassed);
      else this.#world.onDisturbance(tryAgain);
    };
    scheduler.after(network.delay(), arriveIfPassed);
  }

  #whenThawed(mysqld: Mysqld, callback: () => void): void {
    if (mysqld.frozen && mysqld.alive) this.#world.onDisturbance(() => this.#whenThawed(mysqld, callback));
    else callback();
  }
}

/** The server itself says no; the connection is fine. */
export class StatementError extends Error {}
