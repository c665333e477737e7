/** Containers of a cluster's Pods that the operator adds or changes. */
export const containerNames = {
  mysqld: "mysqld",
  agent: "agent",
  slowLog: "slow-log",
  exporter: "mysqld-exporter",
} as const;

export const initContainerNames = {
  copyMocoInit: "copy-moco-init",
  mocoInit: "moco-init",
} as const;

/** Containers whose resources or security context `podTemplate.overwriteContainers` may set. */
export const overwritableContainers = [
  containerNames.agent,
  initContainerNames.copyMocoInit,
  initContainerNames.mocoInit,
  containerNames.slowLog,
  containerNames.exporter,
] as const;

/** Volumes that the operator adds to a cluster's Pods. */
export const volumeNames = {
  tmp: "tmp",
  run: "run",
  varLog: "var-log",
  mysqlConfD: "mysql-conf-d",
  shared: "shared",
  mysqlConf: "mysql-conf",
  myCnfSecret: "my-cnf-secret",
  grpcCert: "grpc-cert",
  slowFluentBitConfig: "slow-fluent-bit-config",
} as const;

/** The volume claim template that holds the data; every cluster has one. */
export const dataClaimTemplate = "mysql-data";

/** Of backup and restore Jobs. */
export const jobNames = { backupContainer: "backup", restoreContainer: "restore", workVolume: "work" } as const;
