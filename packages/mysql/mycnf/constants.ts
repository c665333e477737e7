import { ports } from "@moco-ts/api";
import { podPaths } from "../paths.ts";
import type { Options } from "./defaults.ts";

/** What mysqld and its clients get in any case: the operator relies on it. */
export const constantSections: Readonly<Record<"client" | "mysql" | "mysqld", Options>> = {
  client: {
    port: String(ports.mysql.number),
    socket: podPaths.socket,
    // mysqlbinlog reads this section too, and does not know the option.
    loose_default_character_set: "utf8mb4",
  },
  mysql: {
    auto_rehash: "OFF",
    init_command: '"SET autocommit=0"',
  },
  mysqld: {
    port: String(ports.mysql.number),
    socket: podPaths.socket,
    datadir: podPaths.dataDirectory,
    secure_file_priv: "NULL",
    skip_name_resolve: "ON",
    slow_query_log_file: podPaths.slowLog,
    enforce_gtid_consistency: "ON",
    gtid_mode: "ON",
    binlog_format: "ROW",
    log_replica_updates: "ON",
    relay_log_recovery: "OFF",
    mysqlx_port: String(ports.mysqlX.number),
    admin_port: String(ports.mysqlAdmin.number),
    pid_file: podPaths.pidFile,
    read_only: "ON",
    super_read_only: "ON",
    skip_replica_start: "ON",
    loose_replication_optimize_for_static_plugin_config: "ON",
    loose_replication_sender_observe_commit_only: "OFF",
  },
};

/**
 * What no acknowledged write gets lost with, since version 2.
 *
 * relay_log_recovery and skip_replica_start belong to it too, but were always there. Semi-sync itself stays off until the
 * operator turns it on; its options are known by one of two names, and only once the plugin is installed.
 */
export const safetyOptions: Options = {
  // A replica acknowledges what it has in its relay log: it must still be there after a power loss.
  sync_relay_log: "1",
  // A read_only=OFF that somebody persisted would open the instance when it starts.
  persisted_globals_load: "OFF",
  loose_rpl_semi_sync_source_timeout: "4294967295",
  loose_rpl_semi_sync_source_wait_no_replica: "ON",
  loose_rpl_semi_sync_source_wait_point: "AFTER_SYNC",
  loose_rpl_semi_sync_master_timeout: "4294967295",
  loose_rpl_semi_sync_master_wait_no_slave: "ON",
  loose_rpl_semi_sync_master_wait_point: "AFTER_SYNC",
};

/** Options that never reach mysqld: binary logs and logs on standard error are what the operator works with. */
export const droppedOptions: readonly string[] = ["log_bin", "log_error", "skip_log_bin", "disable_log_bin"];
