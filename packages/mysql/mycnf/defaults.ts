import { podPaths } from "../paths.ts";

export type Options = Readonly<Record<string, string>>;

/** What mysqld gets unless the user says otherwise. Names and values are part of ConfigMaps' names that exist already. */
export const defaultOptions: Options = {
  tmpdir: podPaths.temporary,
  innodb_tmpdir: podPaths.temporary,
  character_set_server: "utf8mb4",
  collation_server: "utf8mb4_unicode_ci",
  default_time_zone: "+0:00",

  back_log: "900",
  max_connections: "100000",
  max_allowed_packet: "1G",
  max_heap_table_size: "64M",
  sort_buffer_size: "4M",
  join_buffer_size: "2M",
  thread_cache_size: "100",
  wait_timeout: "604800",
  lock_wait_timeout: "60",
  table_open_cache: "65536",
  table_definition_cache: "65536",
  tmp_table_size: "64M",
  transaction_isolation: "READ-COMMITTED",

  slow_query_log: "ON",
  long_query_time: "2",
  log_error_verbosity: "3",
  log_slow_extra: "ON",
  max_sp_recursion_depth: "20",
  print_identified_with_as_hex: "ON",
  loose_binlog_transaction_compression: "ON",
  temptable_use_mmap: "OFF",
  information_schema_stats_expiry: "0",
  disabled_storage_engines: "MyISAM",
  default_storage_engine: "InnoDB",

  innodb_flush_method: "O_DIRECT",
  innodb_lock_wait_timeout: "60",
  innodb_print_all_deadlocks: "1",
  innodb_online_alter_log_max_size: "1073741824",
  innodb_adaptive_hash_index: "ON",
  loose_innodb_numa_interleave: "ON",
  innodb_buffer_pool_in_core_file: "OFF",
  innodb_log_file_size: "800M",
  innodb_log_files_in_group: "2",
  innodb_buffer_pool_dump_pct: "100",
  innodb_buffer_pool_dump_at_shutdown: "1",
  innodb_buffer_pool_load_at_startup: "0",
  loose_innodb_validate_tablespace_paths: "OFF",
  innodb_flush_neighbors: "0",
  innodb_random_read_ahead: "false",
  innodb_read_ahead_threshold: "0",
  innodb_log_write_ahead_size: "512",
  innodb_undo_log_truncate: "OFF",
};

/** Defaults since version 2. */
export const version2Options: Options = {
  // Where MySQL's builds have it by default is no directory in a Pod.
  loose_mysqlx_socket: podPaths.xSocket,
};
