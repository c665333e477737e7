import { mysqlUsers } from "@moco-ts/api";
import { describeError, sleep, withDeadline, type Clock, type Logger } from "@moco-ts/base";
import {
  connect,
  errorNumbers,
  isMysqlError,
  MysqlError,
  Secret,
  type Connection,
  type ConnectOptions,
  type Passwords,
} from "@moco-ts/mysql";
import { GrpcError, grpcCodes } from "../grpc/status.ts";
import { initializeClone } from "../initialize/after-clone.ts";
import type { AgentMetrics } from "../metrics.ts";
import { readCloneState } from "../probes/observe.ts";
import type { CloneRequest } from "./request.ts";

export interface ClonerOptions {
  readonly socketPath: string;
  readonly passwords: Passwords;
  readonly metrics: AgentMetrics;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Aborted when the agent ends. A caller that hangs up does not end a clone. */
  readonly signal: AbortSignal;
}

const defaultBootTimeout = 600_000;
const bootInterval = 250;

/** Replaces the data of an empty instance by those of another one. */
export class Cloner {
  readonly #options: ClonerOptions;
  #busy = false;

  constructor(options: ClonerOptions) {
    this.#options = options;
  }

  /** Resolves when mysqld is up again with the donor's data and our users, and read-only. */
  async clone(request: CloneRequest): Promise<void> {
    if (this.#busy) throw new GrpcError(grpcCodes.resourceExhausted, "another request is undergoing");
    this.#busy = true;
    try {
      await this.#clone(request);
    } finally {
      this.#busy = false;
    }
  }

  async #clone(request: CloneRequest): Promise<void> {
    const { metrics, clock, logger, signal } = this.#options;
    const { name } = mysqlUsers.agent;
    const agent = await this.#connect(name, this.#options.passwords[name]!);
    const donor = `${request.host}:${request.port}`;
    try {
      const [row] = await agent.query<{ executed: string }>("SELECT @@GLOBAL.gtid_executed AS executed");
      const { executed } = row!;
      if (executed !== "") {
        throw new GrpcError(grpcCodes.failedPrecondition, `recipient is not empty: gtid=${executed}`);
      }
      metrics.cloneStarted();
      const start = clock.monotonic();
      let failed = true;
      try {
        logger.info("cloning", { donor });
        await copyData(agent, request, signal);
        await this.#finish(request);
        failed = false;
        logger.info("cloned", { donor });
      } finally {
        metrics.cloneEnded((clock.monotonic() - start) / 1000, failed);
      }
    } catch (error) {
      logger.error("the instance could not be cloned", { donor, error: describeError(error) });
      throw error instanceof GrpcError ? error : new GrpcError(grpcCodes.internal, describeError(error));
    } finally {
      await agent.close();
    }
  }

  async #finish(request: CloneRequest): Promise<void> {
    const { clock, signal, passwords } = this.#options;
    const milliseconds = request.bootTimeout ?? defaultBootTimeout;
    await withDeadline({ what: "mysqld's start after the clone", milliseconds, clock, signal }, async (deadline) => {
      const connection = await this.#whenCloned(request, deadline);
      try {
        await initializeClone(connection, passwords, deadline);
      } finally {
        await connection.close();
      }
    });
  }

  /** The old mysqld may still answer for a moment; only the new one says that the clone is complete. */
  async #whenCloned({ initUser, initPassword }: CloneRequest, signal: AbortSignal): Promise<Connection> {
    for (;;) {
      const connection = await this.#connect(initUser, initPassword).catch(() => undefined);
      const state = connection && (await readCloneState(connection).catch(() => undefined));
      if (connection && state === "Completed") return connection;
      await connection?.close();
      if (state === "Failed") throw new GrpcError(grpcCodes.internal, "mysqld says that the clone failed");
      await sleep(this.#options.clock, bootInterval, signal);
    }
  }

  #connect(user: string, password: string): Promise<Connection> {
    const { socketPath, clock, signal } = this.#options;
    const options: ConnectOptions = { socketPath, user, password, clock };
    return connect(options, signal);
  }
}

/** However long it takes. At its end mysqld restarts, or only ends if nobody would start it again. */
async function copyData(agent: Connection, request: CloneRequest, signal: AbortSignal): Promise<void> {
  const { host, port, user, password } = request;
  await agent.query("SET GLOBAL clone_valid_donor_list = ?", [`${host}:${port}`], { signal });
  try {
    const values = [user, host, port, new Secret(password)];
    await agent.query("CLONE INSTANCE FROM ?@?:? IDENTIFIED BY ?", values, { timeout: Infinity, signal });
  } catch (error) {
    const lost = error instanceof MysqlError && error.number === undefined;
    if (!lost && !isMysqlError(error, errorNumbers.restartFailed)) throw error;
  }
}
