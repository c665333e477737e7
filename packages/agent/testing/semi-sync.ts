/** For tests: a primary that waits for a replica's acknowledgement before it answers a commit. */
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { allMysqlUsers } from "@moco-ts/api";
import { ensurePlugins, ensureUsers, type Connection } from "@moco-ts/mysql";
import { startMysqld, type Mysqld } from "@moco-ts/mysql/testing";

/** Every user's password is its name. */
export const passwords = Object.fromEntries(allMysqlUsers.map(({ name }) => [name, name]));

const programs = join(import.meta.dirname, "..");

export interface Instance {
  readonly mysqld: Mysqld;
  readonly admin: Connection;
  /** The directory of the options file with the password. */
  readonly credentials: string;
}

/** An instance with users and plugins, and nothing in its binary log. Ends with the test. */
export async function startInstance(command: readonly string[] = ["/moco/moco-mysqld", "mysqld"]): Promise<Instance> {
  const credentials = await mkdtemp(join(tmpdir(), "credentials-"));
  await writeFile(join(credentials, "moco-admin-my.cnf"), '[client]\nuser="moco-admin"\npassword="moco-admin"\n');
  await chmod(credentials, 0o755);
  const mysqld = await startMysqld({
    command,
    volumes: { "/moco": programs, "/mysql-credentials": credentials },
    options: {
      loose_rpl_semi_sync_source_timeout: "4294967295",
      loose_rpl_semi_sync_source_wait_no_replica: "ON",
      replica_net_timeout: "4",
    },
  });
  onTestFinished(async () => {
    await mysqld.dispose();
    await rm(credentials, { recursive: true });
  });
  const root = await mysqld.connect();
  await root.query("SET sql_log_bin = OFF");
  await root.query("SET GLOBAL super_read_only = OFF");
  await ensureUsers(root, passwords);
  await ensurePlugins(root);
  await root.query("DROP USER root@localhost");
  await root.query("SET GLOBAL super_read_only = ON");
  await root.close();
  return { mysqld, admin: await mysqld.connect("moco-admin", "moco-admin"), credentials };
}

/** Lets `replica` follow and acknowledge, makes `primary` writable with a table test.t, and wait for one replica. */
export async function replicate(primary: Instance, replica: Instance): Promise<void> {
  await replica.admin.query(
    `CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = ${primary.mysqld.port}, SOURCE_USER = 'moco-repl',
     SOURCE_PASSWORD = 'moco-repl', SOURCE_AUTO_POSITION = 1, GET_SOURCE_PUBLIC_KEY = 1, SOURCE_HEARTBEAT_PERIOD = 1,
     SOURCE_CONNECT_RETRY = 1, SOURCE_RETRY_COUNT = 1000`,
  );
  await replica.admin.query("SET GLOBAL rpl_semi_sync_replica_enabled = ON");
  await primary.admin.query("SET GLOBAL rpl_semi_sync_source_enabled = ON");
  await replica.admin.query("START REPLICA");
  await primary.admin.query("SET GLOBAL read_only = OFF");
  await primary.admin.query("CREATE DATABASE test");
  await primary.admin.query("CREATE TABLE test.t (id INT PRIMARY KEY)");
}
