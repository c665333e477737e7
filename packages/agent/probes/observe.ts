import { type Connection, isMysqlError, type QueryOptions } from "@moco-ts/mysql";
import type { Observation, ReplicaObservation } from "./readiness.ts";

interface Instance {
  readonly readOnly: number;
  readonly uptime: string;
}

interface ReplicaStatus {
  readonly Replica_IO_Running: string;
  readonly Replica_SQL_Running: string;
  readonly Last_IO_Errno: number;
  readonly Last_SQL_Errno: number;
  readonly Source_Log_File: string;
  readonly Read_Source_Log_Pos: number | string;
}

interface Progress {
  readonly receiver: number | null;
  readonly heartbeats: number;
  /** Microseconds; null while nothing was received. */
  readonly delay: number | string | null;
  readonly allApplied: number;
}

const instanceStatement = `
  SELECT @@GLOBAL.read_only AS readOnly,
    (SELECT VARIABLE_VALUE FROM performance_schema.global_status WHERE VARIABLE_NAME = 'Uptime') AS uptime`;

/**
 * A zero stands for never. If all is applied there is no delay, even if the applier, which was started anew, does not
 * know when it was. Otherwise, what was received before anything was applied is as late as can be.
 */
const progressStatement = `
  SELECT THREAD_ID AS receiver, COUNT_RECEIVED_HEARTBEATS AS heartbeats,
    GTID_SUBSET(RECEIVED_TRANSACTION_SET, @@GLOBAL.gtid_executed) AS allApplied,
    IF(LAST_QUEUED_TRANSACTION_ORIGINAL_COMMIT_TIMESTAMP = 0, NULL, TIMESTAMPDIFF(MICROSECOND,
      COALESCE((SELECT NULLIF(MAX(LAST_APPLIED_TRANSACTION_ORIGINAL_COMMIT_TIMESTAMP), 0)
        FROM performance_schema.replication_applier_status_by_worker WHERE CHANNEL_NAME = ''), '1970-01-02 00:00:00'),
      LAST_QUEUED_TRANSACTION_ORIGINAL_COMMIT_TIMESTAMP)) AS delay
  FROM performance_schema.replication_connection_status WHERE CHANNEL_NAME = ''`;

const noSuchTable = 1146;

/** Looks at what readiness is judged by. */
export async function observe(connection: Connection, options?: QueryOptions): Promise<Observation> {
  const cloneState = await readCloneState(connection, options);
  const [instance] = await connection.query<Instance>(instanceStatement, [], options);
  const readOnly = instance!.readOnly === 1;
  const replica = readOnly ? await observeReplica(connection, options) : undefined;
  return { cloneState, readOnly, uptime: Number(instance!.uptime) * 1000, replica };
}

/** The table comes with the plugin. */
export async function readCloneState(connection: Connection, options?: QueryOptions): Promise<string | undefined> {
  try {
    const rows = await connection.query<{ state: string }>(
      "SELECT STATE AS state FROM performance_schema.clone_status",
      [],
      options,
    );
    return rows[0]?.state;
  } catch (error) {
    if (isMysqlError(error, noSuchTable)) return undefined;
    throw error;
  }
}

async function observeReplica(connection: Connection, options?: QueryOptions): Promise<ReplicaObservation | undefined> {
  const [status] = await connection.query<ReplicaStatus>("SHOW REPLICA STATUS FOR CHANNEL ''", [], options);
  if (status === undefined) return undefined;
  const [progress] = await connection.query<Progress>(progressStatement, [], options);
  const { receiver = null, heartbeats = 0, delay = null, allApplied = 0 } = progress ?? {};
  return {
    receiverRunning: status.Replica_IO_Running === "Yes",
    applierRunning: status.Replica_SQL_Running === "Yes",
    receiverError: status.Last_IO_Errno,
    applierError: status.Last_SQL_Errno,
    delay: delay === null ? undefined : allApplied === 1 ? 0 : Number(delay) / 1000,
    allApplied: allApplied === 1,
    receiver: String(receiver),
    heartbeats,
    position: `${status.Source_Log_File}:${status.Read_Source_Log_Pos}`,
  };
}
