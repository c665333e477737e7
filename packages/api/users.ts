export interface MySQLUser {
  readonly name: string;
  /** Of the Secret with the passwords, and of the agent's environment. */
  readonly secretKey: string;
  /** Users that keep a cluster going: their connections are never killed. */
  readonly system: boolean;
}

/** The users that every instance has. */
export const mysqlUsers = {
  admin: { name: "moco-admin", secretKey: "ADMIN_PASSWORD", system: true },
  agent: { name: "moco-agent", secretKey: "AGENT_PASSWORD", system: true },
  replication: { name: "moco-repl", secretKey: "REPLICATION_PASSWORD", system: true },
  cloneDonor: { name: "moco-clone-donor", secretKey: "CLONE_DONOR_PASSWORD", system: true },
  exporter: { name: "moco-exporter", secretKey: "EXPORTER_PASSWORD", system: true },
  backup: { name: "moco-backup", secretKey: "BACKUP_PASSWORD", system: true },
  readOnly: { name: "moco-readonly", secretKey: "READONLY_PASSWORD", system: false },
  writable: { name: "moco-writable", secretKey: "WRITABLE_PASSWORD", system: false },
} as const satisfies Record<string, MySQLUser>;

export const allMysqlUsers: readonly MySQLUser[] = Object.values(mysqlUsers);

/** Users for whom people and sidecars find an options file in the Pods. */
export const optionsFileUsers = [
  mysqlUsers.admin,
  mysqlUsers.exporter,
  mysqlUsers.backup,
  mysqlUsers.readOnly,
  mysqlUsers.writable,
] as const;

/** The key in the my.cnf Secret, and so the name of the file. */
export function optionsFileName(user: MySQLUser): string {
  return `${user.name}-my.cnf`;
}

/** Keys of the Secret that `spec.replicationSourceSecretName` names. */
export const replicationSourceKeys = {
  host: "HOST",
  port: "PORT",
  user: "USER",
  password: "PASSWORD",
  initUser: "INIT_USER",
  initPassword: "INIT_PASSWORD",
} as const;

/** Keys of the other Secrets and ConfigMaps. */
export const dataKeys = {
  myCnf: "my.cnf",
  fluentBit: "fluent-bit.conf",
  authority: "ca.crt",
  certificate: "tls.crt",
  privateKey: "tls.key",
} as const;
