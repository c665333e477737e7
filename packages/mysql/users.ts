import { mysqlUsers } from "@moco-ts/api";
import { Secret, type Connection } from "./connection/connection.ts";

interface Grants {
  readonly user: string;
  /** On everything. */
  readonly privileges: readonly string[];
  readonly grantOption?: boolean;
  /** May act for any other user, and let others do so. */
  readonly proxy?: boolean;
  /** Taken away again in MySQL's own schema. */
  readonly revokedInMysql?: readonly string[];
}

const { admin, agent, replication, cloneDonor, exporter, backup, readOnly, writable } = mysqlUsers;

/** Who may do what. All users exist for every host. */
export const userGrants: readonly Grants[] = [
  {
    user: agent.name,
    privileges: [
      "BINLOG_ADMIN",
      "CLONE_ADMIN",
      "RELOAD",
      "REPLICATION CLIENT",
      "SELECT",
      "SERVICE_CONNECTION_ADMIN",
      "SYSTEM_VARIABLES_ADMIN",
    ],
  },
  { user: replication.name, privileges: ["REPLICATION CLIENT", "REPLICATION SLAVE"] },
  { user: cloneDonor.name, privileges: ["BACKUP_ADMIN", "SERVICE_CONNECTION_ADMIN"] },
  { user: exporter.name, privileges: ["PROCESS", "REPLICATION CLIENT", "SELECT"] },
  {
    user: backup.name,
    privileges: [
      "BACKUP_ADMIN",
      "EVENT",
      "RELOAD",
      "SELECT",
      "SHOW VIEW",
      "TRIGGER",
      "REPLICATION CLIENT",
      "REPLICATION SLAVE",
      "SERVICE_CONNECTION_ADMIN",
    ],
  },
  {
    user: readOnly.name,
    privileges: ["PROCESS", "REPLICATION CLIENT", "REPLICATION SLAVE", "SELECT", "SHOW DATABASES", "SHOW VIEW"],
  },
  {
    user: writable.name,
    privileges: [
      "ALTER",
      "ALTER ROUTINE",
      "CREATE",
      "CREATE ROLE",
      "CREATE ROUTINE",
      "CREATE TEMPORARY TABLES",
      "CREATE USER",
      "CREATE VIEW",
      "DELETE",
      "DROP",
      "DROP ROLE",
      "EVENT",
      "EXECUTE",
      "INDEX",
      "INSERT",
      "LOCK TABLES",
      "PROCESS",
      "REFERENCES",
      "REPLICATION CLIENT",
      "REPLICATION SLAVE",
      "SELECT",
      "SHOW DATABASES",
      "SHOW VIEW",
      "TRIGGER",
      "UPDATE",
    ],
    grantOption: true,
    revokedInMysql: [
      "CREATE",
      "CREATE ROUTINE",
      "CREATE TEMPORARY TABLES",
      "CREATE VIEW",
      "DELETE",
      "DROP",
      "EVENT",
      "EXECUTE",
      "INDEX",
      "INSERT",
      "LOCK TABLES",
      "REFERENCES",
      "TRIGGER",
      "UPDATE",
    ],
  },
  // The last one: by it the operator takes the instance over, which should have the others by then.
  { user: admin.name, privileges: ["ALL"], grantOption: true, proxy: true },
];

/** Passwords by the users' names. */
export type Passwords = Readonly<Record<string, string>>;

/**
 * Makes sure that every user exists with its password and its privileges. Done twice, or after half of it was done, it
 * gives the same. Account statements are held up by semi-sync replication: never do this on an instance that waits for
 * acknowledgements.
 */
export async function ensureUsers(connection: Connection, passwords: Passwords, signal?: AbortSignal): Promise<void> {
  // What is revoked on one schema from a privilege on all needs this.
  await connection.query("SET GLOBAL partial_revokes = ON", [], { signal });
  for (const { user, privileges, grantOption, proxy, revokedInMysql = [] } of userGrants) {
    const run = (statement: string, ...values: (string | Secret)[]) => connection.query(statement, values, { signal });
    const password = new Secret(passwords[user]!);
    const granting = grantOption ? " WITH GRANT OPTION" : "";
    await run("CREATE USER IF NOT EXISTS ?@'%' IDENTIFIED BY ?", user, password);
    await run("ALTER USER ?@'%' IDENTIFIED BY ?", user, password);
    await run(`GRANT ${privileges.join(", ")} ON *.* TO ?@'%'${granting}`, user);
    if (proxy) await run("GRANT PROXY ON ''@'' TO ?@'%' WITH GRANT OPTION", user);
    if (revokedInMysql.length > 0) await run(`REVOKE ${revokedInMysql.join(", ")} ON mysql.* FROM ?@'%'`, user);
  }
}
