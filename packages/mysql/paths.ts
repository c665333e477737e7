/** Where things are in the containers of a MySQLCluster's Pods. */
export const podPaths = {
  run: "/run",
  socket: "/run/mysqld.sock",
  xSocket: "/run/mysqlx.sock",
  pidFile: "/run/mysqld.pid",
  temporary: "/tmp",
  data: "/var/lib/mysql",
  /** mysqld's own directory. It is made anew from nothing, so it can't be the root of a volume. */
  dataDirectory: "/var/lib/mysql/data",
  configuration: "/etc/mysql",
  /** What moco-init writes: server_id and admin_address. */
  instanceConfiguration: "/etc/mysql-conf.d",
  logs: "/var/log/mysql",
  slowLog: "/var/log/mysql/mysql.slow",
  credentials: "/mysql-credentials",
  certificates: "/grpc-cert",
  shared: "/shared",
  fluentBit: "/fluent-bit/etc",
} as const;
