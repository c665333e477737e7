import { mysqlUsers, optionsFileName } from "@moco-ts/api";
import { podPaths } from "@moco-ts/mysql";

/**
 * What an instance is asked, as a user who may only read. Every statement gives one line of JSON, so that it can be told
 * apart what they gave and what they didn't: not every server has everything.
 */
const statements = [
  `SELECT JSON_OBJECT('report', JSON_OBJECT(
  'version', VERSION(), 'uuid', @@server_uuid, 'serverId', @@server_id,
  'executed', @@GLOBAL.gtid_executed, 'purged', @@GLOBAL.gtid_purged,
  'readOnly', @@GLOBAL.read_only, 'superReadOnly', @@GLOBAL.super_read_only, 'offlineMode', @@GLOBAL.offline_mode,
  'variables', (SELECT JSON_OBJECTAGG(variable_name, variable_value) FROM performance_schema.global_variables
    WHERE variable_name LIKE 'rpl_semi_sync_%'),
  'status', (SELECT JSON_OBJECTAGG(variable_name, variable_value) FROM performance_schema.global_status
    WHERE variable_name LIKE 'Rpl_semi_sync_%' OR variable_name = 'Uptime'),
  'replica', (SELECT JSON_OBJECT(
    'sourceHost', configuration.host,
    'receiver', receiver.service_state,
    'receiveError', receiver.last_error_message,
    'applier', applier.service_state,
    'coordinatorError', (SELECT MAX(last_error_message) FROM performance_schema.replication_applier_status_by_coordinator
      WHERE channel_name = ''),
    'workerError', (SELECT MAX(last_error_message) FROM performance_schema.replication_applier_status_by_worker
      WHERE channel_name = ''),
    'retrieved', receiver.received_transaction_set,
    'applyingAge', (SELECT MAX(${age("applying_transaction_original_commit_timestamp")})
      FROM performance_schema.replication_applier_status_by_worker
      WHERE channel_name = '' AND applying_transaction <> ''),
    'queuedAge', ${age("receiver.last_queued_transaction_original_commit_timestamp")},
    'heartbeatAge', ${age("receiver.last_heartbeat_timestamp")},
    'receivedAge', ${age("receiver.last_queued_transaction_end_queue_timestamp")})
    FROM performance_schema.replication_connection_configuration AS configuration
    JOIN performance_schema.replication_connection_status AS receiver USING (channel_name)
    JOIN performance_schema.replication_applier_status AS applier USING (channel_name)
    WHERE channel_name = '')))`,
  // A table of the clone plugin's, which an instance has only after its first start.
  `SELECT JSON_OBJECT('clone', JSON_OBJECT('state', state, 'error', error_message)) FROM performance_schema.clone_status`,
];

/** Seconds since a time by the server's own clock; NULL if it never was. */
function age(timestamp: string): string {
  return `IF(${timestamp} > 0, TIMESTAMPDIFF(MICROSECOND, ${timestamp}, NOW(6)) / 1000000, NULL)`;
}

/** Statements that end with a line that repeats `number`. */
export function question(number: number): string {
  return [...statements, `SELECT JSON_OBJECT('end', ${number})`].map((each) => `${each};\n`).join("");
}

/** Reads statements from its input until that ends, and goes on when one fails. */
export const mysqlCommand: readonly string[] = [
  "mysql",
  `--defaults-extra-file=${podPaths.credentials}/${optionsFileName(mysqlUsers.readOnly)}`,
  "--batch",
  "--skip-column-names",
  "--raw",
  "--unbuffered",
  "--force",
  // Of a frozen mysqld, which takes connections and says nothing.
  "--connect-timeout=5",
];
