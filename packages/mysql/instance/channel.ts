import { Secret, type Connection, type Value } from "../connection/connection.ts";
import { MysqlError } from "../connection/errors.ts";
import { GtidSet } from "../gtidset/gtidset.ts";
import type { ReplicationSource } from "./instance.ts";

/** Numbers by which a silent source is noticed within seconds, and one that comes back is found again, however late. */
export const attention = {
  /** Seconds. */
  heartbeatPeriod: 1,
  connectRetry: 1,
  retryCount: 86_400,
  /**
   * Seconds without a sign of life after which the receiver connects anew. Not before a failover usually has begun: to stop
   * a receiver takes two seconds while it connects.
   */
  netTimeout: 5,
} as const;

interface Channel {
  readonly sourceHost: string;
  readonly autoPosition: number;
  readonly receiving: boolean;
  readonly applying: boolean;
  /** What was retrieved and is not executed: lost with the relay log. */
  readonly unexecuted: GtidSet;
}

/** Gives a source to an instance that has none, or none from which it has got anything that is not executed. */
export async function attach(connection: Connection, source: ReplicationSource, signal: AbortSignal): Promise<void> {
  const channel = await readChannel(connection, signal);
  if (channel) {
    assertExecuted(channel, "a new source");
    await connection.query("STOP REPLICA FOR CHANNEL ''", [], { signal });
    // What came until it was stopped.
    assertExecuted((await readChannel(connection, signal)) ?? channel, "a new source");
  }
  await changeSource(connection, source, ["SOURCE_AUTO_POSITION = 1"], signal);
}

/**
 * Another source, keeping the relay log. mysqld deletes it if the applier is stopped, whatever is changed, and if
 * SOURCE_AUTO_POSITION is given.
 */
export async function repoint(connection: Connection, source: ReplicationSource, signal: AbortSignal): Promise<void> {
  const channel = await readChannel(connection, signal);
  if (!channel) throw new MysqlError("REPLICA_MISSING", "it has no source that could be exchanged");
  if (channel.receiving) throw new MysqlError("RECEIVER_RUNNING", "its receiver must be stopped first");
  if (!channel.applying) throw new MysqlError("APPLIER_STOPPED", "its relay log would be lost: its applier is stopped");
  if (channel.autoPosition !== 1) {
    throw new MysqlError("AUTO_POSITION_OFF", "its relay log would be lost: it does not find its position by GTIDs");
  }
  await changeSource(connection, source, [], signal);
}

/** Ends being a replica. */
export async function detach(connection: Connection, signal: AbortSignal): Promise<void> {
  if (!(await readChannel(connection, signal))) return;
  await stopReceiver(connection, signal);
  const channel = await readChannel(connection, signal);
  if (channel) assertExecuted(channel, "the end of replication");
  await connection.query("STOP REPLICA FOR CHANNEL ''", [], { signal });
  await connection.query("RESET REPLICA ALL FOR CHANNEL ''", [], { signal });
}

export async function startReplica(connection: Connection, signal: AbortSignal): Promise<void> {
  await connection.query("START REPLICA FOR CHANNEL ''", [], { signal });
}

export async function startReceiver(connection: Connection, signal: AbortSignal): Promise<void> {
  await connection.query("START REPLICA IO_THREAD FOR CHANNEL ''", [], { signal });
}

/** Resolves when it has stopped: nothing more is received or acknowledged. */
export async function stopReceiver(connection: Connection, signal: AbortSignal): Promise<void> {
  if (!(await readChannel(connection, signal))) return;
  await connection.query("STOP REPLICA IO_THREAD FOR CHANNEL ''", [], { signal });
  const channel = await readChannel(connection, signal);
  if (channel?.receiving) throw new MysqlError("RECEIVER_RUNNING", "the receiver did not stop");
}

export async function startApplier(connection: Connection, signal: AbortSignal): Promise<void> {
  await connection.query("START REPLICA SQL_THREAD FOR CHANNEL ''", [], { signal });
}

async function changeSource(
  connection: Connection,
  source: ReplicationSource,
  more: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { host, port, user, password, authorityFile } = source;
  const options: [string, Value][] = [
    ["SOURCE_HOST", host],
    ["SOURCE_PORT", port],
    ["SOURCE_USER", user],
    ["SOURCE_PASSWORD", new Secret(password)],
    ["SOURCE_HEARTBEAT_PERIOD", attention.heartbeatPeriod],
    ["SOURCE_CONNECT_RETRY", attention.connectRetry],
    ["SOURCE_RETRY_COUNT", attention.retryCount],
    ["GET_SOURCE_PUBLIC_KEY", 1],
    ["SOURCE_SSL", authorityFile === undefined ? 0 : 1],
    ["SOURCE_SSL_CA", authorityFile ?? ""],
    ["SOURCE_SSL_VERIFY_SERVER_CERT", authorityFile === undefined ? 0 : 1],
  ];
  const names = [...options.map(([name]) => `${name} = ?`), ...more];
  const values = options.map(([, value]) => value);
  await connection.query(`CHANGE REPLICATION SOURCE TO ${names.join(", ")} FOR CHANNEL ''`, values, { signal });
}

async function readChannel(connection: Connection, signal: AbortSignal): Promise<Channel | undefined> {
  const [row] = await connection.query<{
    Source_Host: string;
    Auto_Position: number;
    Replica_IO_Running: string;
    Replica_SQL_Running: string;
    Retrieved_Gtid_Set: string;
    Executed_Gtid_Set: string;
  }>("SHOW REPLICA STATUS FOR CHANNEL ''", [], { signal });
  // After RESET REPLICA without ALL there is a channel without a host.
  if (!row || row.Source_Host === "") return undefined;
  return {
    sourceHost: row.Source_Host,
    autoPosition: row.Auto_Position,
    receiving: row.Replica_IO_Running !== "No",
    applying: row.Replica_SQL_Running === "Yes",
    unexecuted: GtidSet.parse(row.Retrieved_Gtid_Set).subtract(GtidSet.parse(row.Executed_Gtid_Set)),
  };
}

function assertExecuted({ unexecuted }: Channel, what: string): void {
  if (unexecuted.isEmpty) return;
  const lost = unexecuted.toString();
  throw new MysqlError("RELAY_LOG_NEEDED", `${what} would lose transactions that are not executed yet: ${lost}`);
}
