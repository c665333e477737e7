import type { Connection, Row } from "../connection/connection.ts";
import { isMysqlError } from "../connection/errors.ts";
import { GtidSet } from "../gtidset/gtidset.ts";
import { attention } from "./channel.ts";
import { openingLock, operatorLock } from "./lock.ts";
import type { Persisted } from "./persisted.ts";
import { namesIn, semiSyncStatus } from "./semi-sync.ts";
import { dangersOf, isEnforced, noticesSilence, settingNames } from "./settings.ts";
import type { CloneState, InstanceState, ReplicaSide } from "./state.ts";
import { readStatus, toVariables, variablesStatement, type Variables } from "./variables.ts";

interface ChannelRow {
  readonly receiving: "ON" | "OFF" | "CONNECTING";
  readonly sourceUuid: string;
  readonly retrieved: string;
  /** Microseconds. */
  readonly heardAgo: number | string | null;
  readonly queueing: number;
  readonly heartbeat: number;
  readonly retryInterval: number;
  readonly retryCount: number | string;
}

interface StatusRow {
  readonly Source_Host: string;
  readonly Replica_SQL_Running: string;
  readonly Last_IO_Error: string;
  readonly Last_SQL_Errno: number;
  readonly Last_SQL_Error: string;
  readonly Seconds_Behind_Source: number | null;
  readonly Source_SSL_Allowed: string;
}

interface LastRow {
  readonly stopping: number;
  readonly executed: string;
}

const variableNames = [
  "server_uuid",
  "server_id",
  "gtid_purged",
  "gtid_owned",
  "read_only",
  "super_read_only",
  "offline_mode",
  "ssl_ca",
];

/**
 * By the replica's own clock. A source sends a heartbeat when it has had nothing else to send for a second, so either of
 * the two is a sign of life. A timestamp of zero stands for never.
 */
const channelStatement = `
  SELECT status.SERVICE_STATE AS receiving, status.SOURCE_UUID AS sourceUuid,
    status.RECEIVED_TRANSACTION_SET AS retrieved, COALESCE(status.QUEUEING_TRANSACTION, '') <> '' AS queueing,
    TIMESTAMPDIFF(MICROSECOND,
      NULLIF(GREATEST(status.LAST_HEARTBEAT_TIMESTAMP, status.LAST_QUEUED_TRANSACTION_END_QUEUE_TIMESTAMP), 0), NOW(6))
      AS heardAgo,
    configuration.HEARTBEAT_INTERVAL AS heartbeat, configuration.CONNECTION_RETRY_INTERVAL AS retryInterval,
    configuration.CONNECTION_RETRY_COUNT AS retryCount
  FROM performance_schema.replication_connection_status AS status
  JOIN performance_schema.replication_connection_configuration AS configuration USING (CHANNEL_NAME)
  WHERE CHANNEL_NAME = ''`;

/** A replica says who it is by a variable of its session, under its old name and under its new one. */
const receiversStatement = `
  SELECT DISTINCT CONVERT(variables.VARIABLE_VALUE USING utf8mb4) AS uuid
  FROM performance_schema.threads
  JOIN performance_schema.user_variables_by_thread AS variables USING (THREAD_ID)
  WHERE PROCESSLIST_COMMAND IN ('Binlog Dump', 'Binlog Dump GTID') AND VARIABLE_NAME IN ('replica_uuid', 'slave_uuid')`;

/** Who opens an instance has both locks. */
const lastStatement = `
  SELECT COALESCE(IS_USED_LOCK('${openingLock}') <> COALESCE(IS_USED_LOCK('${operatorLock}'), 0), FALSE) AS stopping,
    @@GLOBAL.gtid_executed AS executed`;

const cloneStatement = "SELECT STATE AS state, ERROR_MESSAGE AS error FROM performance_schema.clone_status";
const noSuchTable = 1146;
/** A worker was killed in a transaction; all of them were ended in one. */
const applierInterrupted = [1317, 1756];

type Results = [Row[], { uuid: string }[], StatusRow[], ChannelRow[], LastRow[]];

/** Looks at everything, in three requests. The connection must take several statements at once. */
export async function look(
  connection: Connection,
  persisted: { readonly known: readonly Persisted[] },
  signal: AbortSignal,
): Promise<InstanceState> {
  const clone = await lookAtClone(connection, signal);
  const status = await readStatus(connection, [...semiSyncStatus, "Uptime"], signal);
  const names = namesIn(status);
  const waitingSessions = Number(names ? status.get(names.status.waiting) : 0);
  const statements = [
    variablesStatement([...variableNames, ...(names ? Object.values(names.variables) : []), ...settingNames(names)]),
    receiversStatement,
    "SHOW REPLICA STATUS FOR CHANNEL ''",
    channelStatement,
    lastStatement,
  ];
  const results = await connection.query<Row[]>(statements.join(";\n"), [], { signal });
  const [[row], receivers, [replica], [channel], [last]] = results as unknown as Results;
  const variables = toVariables(row!);
  const isOn = (name: string): boolean => variables.get(name) === "1";
  return {
    uuid: variables.get("server_uuid")!,
    serverId: Number(variables.get("server_id")),
    executed: GtidSet.parse(last!.executed),
    committing: committingIn(variables.get("gtid_owned")!),
    purged: GtidSet.parse(variables.get("gtid_purged")!),
    readOnly: isOn("read_only"),
    superReadOnly: isOn("super_read_only"),
    offlineMode: isOn("offline_mode"),
    stopping: last!.stopping === 1,
    uptime: Number(status.get("Uptime")),
    source: {
      enabled: names !== undefined && isOn(names.variables.source),
      active: names !== undefined && status.get(names.status.active) === "ON",
      acknowledgements: Number(names ? variables.get(names.variables.count) : 0),
      waitingSessions,
      acknowledgingReplicas: Number(names ? status.get(names.status.replicas) : 0),
      receivers: receivers.map(({ uuid }) => uuid),
    },
    replica: replica && channel && replica.Source_Host !== "" ? replicaSide(replica, channel, variables) : undefined,
    acknowledges: names !== undefined && isOn(names.variables.replica),
    clone,
    enforced: isEnforced(variables, names, persisted),
    authorityFile: variables.get("ssl_ca")!,
    dangers: dangersOf(variables),
  };
}

/** `uuid:number#thread`, and so on without anything in between. A thread's digits are not the next UUID's: that has eight. */
function committingIn(owned: string): GtidSet {
  const separated = owned.replaceAll(/[\da-f]{8}(?=-[\da-f]{4}-)/g, ",$&");
  return GtidSet.parse(separated.replaceAll(/#\d+/g, ""));
}

const receiving = { ON: "yes", OFF: "no", CONNECTING: "connecting" } as const;

function replicaSide(status: StatusRow, channel: ChannelRow, variables: Variables): ReplicaSide {
  const attentive =
    channel.heartbeat === attention.heartbeatPeriod &&
    channel.retryInterval === attention.connectRetry &&
    Number(channel.retryCount) === attention.retryCount;
  return {
    sourceHost: status.Source_Host,
    sourceUuid: channel.sourceUuid || undefined,
    receiving: receiving[channel.receiving],
    applying: status.Replica_SQL_Running === "Yes",
    receiveError: status.Last_IO_Error || undefined,
    applyError: status.Last_SQL_Error || undefined,
    interrupted: applierInterrupted.includes(status.Last_SQL_Errno),
    retrieved: GtidSet.parse(channel.retrieved),
    secondsBehind: status.Seconds_Behind_Source,
    // A sign of life may come while the statement runs.
    heardAgo: channel.heardAgo === null ? undefined : Math.max(Number(channel.heardAgo) / 1000, 0),
    queueing: channel.queueing === 1,
    secure: status.Source_SSL_Allowed === "Yes",
    attentive: attentive && noticesSilence(variables),
  };
}

/** The table comes with the plugin. */
async function lookAtClone(connection: Connection, signal: AbortSignal): Promise<CloneState | undefined> {
  try {
    const [row] = await connection.query<{ state: CloneState["state"]; error: string }>(cloneStatement, [], { signal });
    return row && { state: row.state, error: row.error || undefined };
  } catch (error) {
    if (isMysqlError(error, noSuchTable)) return undefined;
    throw error;
  }
}
