/**
 * Options that MySQL 8.0.28 or 8.4 knows and a later version up to 9.7 does not: with any of them it would not start.
 * As the version is up to the user's image, they are all written loose.
 */
const removedOptions: ReadonlySet<string> = new Set([
  "abort_slave_event_count",
  "admin_ssl",
  "avoid_temporal_upgrade",
  "binlog_transaction_dependency_tracking",
  "character_set_client_handshake",
  "default_authentication_plugin",
  "disconnect_slave_event_count",
  "expire_logs_days",
  "innodb_log_file_size",
  "innodb_log_files_in_group",
  "innodb_undo_tablespaces",
  "language",
  "log_bin_use_v1_row_events",
  "master_info_file",
  "master_info_repository",
  "myisam_repair_threads",
  "mysql_native_password",
  "new",
  "no_dd_upgrade",
  "old",
  "old_style_user_limits",
  "relay_log_info_file",
  "relay_log_info_repository",
  "replica_parallel_type",
  "show_old_temporals",
  "skip_character_set_client_handshake",
  "skip_host_cache",
  "skip_ssl",
  "slave_parallel_type",
  "slave_rows_search_algorithms",
  "ssl",
  "temptable_use_mmap",
  "transaction_write_set_extraction",
]);

/** Options of plugins that an instance may not have, or has by another name. */
const pluginPrefixes = ["rpl_semi_sync_", "group_replication_", "clone_", "daemon_memcached_", "keyring_"];

/** True for an option that some version of MySQL does not know. */
export function mayBeUnknown(option: string): boolean {
  return removedOptions.has(option) || pluginPrefixes.some((prefix) => option.startsWith(prefix));
}

export const allRemovedOptions: readonly string[] = [...removedOptions];
