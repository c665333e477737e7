import type { Connection } from "@moco-ts/mysql";

/** What a heartbeat tells of an instance. */
export interface VitalSigns {
  /** Changes whenever there is something to look at. */
  readonly signs: string;
  /** Changes as long as commits get their acknowledgements; undefined if none waits for one. */
  readonly waitingAt: string | undefined;
}

/** One cheap statement. Both names of semi-sync replication are asked for; a server has one of them, or none. */
const statement = `
  SELECT CONCAT_WS(' ', @@GLOBAL.server_uuid, @@GLOBAL.read_only, @@GLOBAL.super_read_only, @@GLOBAL.offline_mode,
      @@GLOBAL.gtid_executed = '', COALESCE(IS_USED_LOCK('moco-opening'), ''),
      (SELECT GROUP_CONCAT(SERVICE_STATE) FROM performance_schema.replication_connection_status WHERE CHANNEL_NAME = ''),
      (SELECT GROUP_CONCAT(SERVICE_STATE) FROM performance_schema.replication_applier_status WHERE CHANNEL_NAME = ''),
      status.active) AS signs,
    IF(status.waiting > 0, @@GLOBAL.gtid_executed, NULL) AS waitingAt
  FROM (
    SELECT MAX(IF(VARIABLE_NAME LIKE '%\\_status', VARIABLE_VALUE, '')) AS active,
      MAX(IF(VARIABLE_NAME LIKE '%\\_wait_sessions', CAST(VARIABLE_VALUE AS SIGNED), 0)) AS waiting
    FROM performance_schema.global_status
    WHERE VARIABLE_NAME IN ('Rpl_semi_sync_source_status', 'Rpl_semi_sync_source_wait_sessions',
      'Rpl_semi_sync_master_status', 'Rpl_semi_sync_master_wait_sessions')
  ) AS status`;

export async function readVitalSigns(connection: Connection, signal: AbortSignal): Promise<VitalSigns> {
  const [row] = await connection.query<{ signs: string; waitingAt: string | null }>(statement, [], { signal });
  return { signs: row!.signs, waitingAt: row!.waitingAt ?? undefined };
}
