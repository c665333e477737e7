/**
 * What makes an instance of a cluster out of a mysqld that was just initialised. That root may log in without a password
 * says that it is not done, so it is the last thing to go, and a crash before that starts over.
 *
 * Nothing of it reaches the binary log: another instance that found it there would take this one for errant. Writing is
 * never allowed to users, not even for a moment: it is enough to turn super_read_only off.
 */
import { mysqlUsers } from "@moco-ts/api";
import { CodedError, sleep, type Clock, type Logger } from "@moco-ts/base";
import {
  connect,
  ensurePlugins,
  ensureUsers,
  isAccessDenied,
  openingLock,
  serverVersion,
  statementsOf,
  type Connection,
  type Passwords,
} from "@moco-ts/mysql";

export interface FirstStartOptions {
  readonly socketPath: string;
  readonly passwords: Passwords;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Milliseconds between two tries: mysqld starts in about a second. */
const retryInterval = 250;

/** Seconds. The operator has it for an instant, and only if it knows the instance already: then this starts over. */
const lockPatience = 5;

/** Returns when the instance has its users and plugins, whoever made them. Goes on through every failure. */
export async function initializeInstance(options: FirstStartOptions, signal: AbortSignal): Promise<void> {
  const { socketPath, clock, logger } = options;
  let reported = "";
  for (;;) {
    try {
      const root = await connect({ socketPath, user: "root", password: "", multipleStatements: true, clock }, signal);
      try {
        await initialize(root, options, signal);
      } finally {
        await root.close();
      }
      return;
    } catch (error) {
      signal.throwIfAborted();
      // Somebody removed root, or gave it a password: that is how it looks when this is done.
      if (isAccessDenied(error)) return;
      const code = error instanceof CodedError ? error.code : String(error);
      if (code !== reported) logger.info("mysqld can't be prepared yet", { error });
      reported = code;
      await sleep(clock, retryInterval, signal);
    }
  }
}

async function initialize(root: Connection, options: FirstStartOptions, signal: AbortSignal): Promise<void> {
  const { passwords, socketPath, clock, logger } = options;
  if (!(await isFresh(root, signal))) {
    logger.warn("root@localhost has no password, but there are data: the instance is left as it is");
    return;
  }
  logger.info("preparing a new instance");
  // Whoever holds this is left alone by the operator, until the connection ends: it would cut us off and take the instance.
  await root.query("DO GET_LOCK(?, ?)", [openingLock, lockPatience], { signal });
  await root.query("SET SESSION sql_log_bin = OFF", [], { signal });
  await root.query("SET GLOBAL super_read_only = OFF", [], { signal });
  const semiSync = await ensurePlugins(root, signal);
  const { resetBinaryLogs } = statementsOf(await serverVersion(root, { signal }));
  await root.query(resetBinaryLogs, [], { signal });
  // As soon as it can log in the operator makes use of the instance: a reset later on would forget what was written since.
  await ensureUsers(root, passwords, signal);
  // From here on nobody gets in without a password, so it is better to be sure.
  const { name } = mysqlUsers.admin;
  await (await connect({ socketPath, user: name, password: passwords[name]!, clock }, signal)).close();
  // One request: mysqld carries out both, even if we are gone.
  await root.query("DROP USER 'root'@'localhost'; SET GLOBAL super_read_only = ON", [], { signal });
  logger.info("the instance has its users and plugins", { semiSync });
}

/** False for what came by a clone or a restore, with a root of its own: its history must not be forgotten. */
async function isFresh(root: Connection, signal: AbortSignal): Promise<boolean> {
  const [row] = await root.query<{ executed: string }>("SELECT @@GLOBAL.gtid_executed AS executed", [], { signal });
  return row!.executed === "";
}
