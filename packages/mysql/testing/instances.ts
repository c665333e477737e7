/** For tests: instances as their agents prepare them, and clusters of them that replicate. */
import { allMysqlUsers, mysqlUsers } from "@moco-ts/api";
import type { Connection } from "../connection/connection.ts";
import { MysqlInstance, type MysqlInstanceOptions } from "../instance/mysql-instance.ts";
import type { ReplicationSource } from "../instance/instance.ts";
import { ensurePlugins } from "../plugins.ts";
import { ensureUsers } from "../users.ts";
import { keptData, startMysqld, type Mysqld, type MysqldOptions } from "./mysqld.ts";

/** Every user's password is its name. */
export const testPasswords = Object.fromEntries(allMysqlUsers.map(({ name }) => [name, name]));

const admin = mysqlUsers.admin.name;

export interface TestInstance {
  readonly mysqld: Mysqld;
  readonly uuid: string;
  readonly instance: MysqlInstance;
  /** What replicas get to follow it. */
  readonly source: ReplicationSource;
  /** As moco-admin, over the socket. */
  readonly connect: (user?: string) => Promise<Connection>;
  readonly dispose: () => Promise<void>;
}

/** As an operator has it. */
export function instanceOf(
  mysqld: Pick<Mysqld, "adminPort">,
  options: Partial<MysqlInstanceOptions> = {},
): MysqlInstance {
  return new MysqlInstance({
    host: "127.0.0.1",
    port: mysqld.adminPort,
    login: () => Promise.resolve({ user: admin, password: testPasswords[admin]! }),
    ...options,
  });
}

/** With users and plugins, read-only, and nothing in its binary log. */
export async function startTestInstance(options: MysqldOptions = {}): Promise<TestInstance> {
  const mysqld = await startMysqld({ ...options, data: await preparedData(), login: { user: admin, password: admin } });
  // Machines that run tests may be busy.
  const instance = instanceOf(mysqld, { lookTimeout: 10_000 });
  const user = mysqlUsers.replication.name;
  const { uuid } = await instance.observe(new AbortController().signal);
  return {
    mysqld,
    uuid,
    instance,
    source: { host: "127.0.0.1", port: mysqld.port, user, password: testPasswords[user]! },
    connect: (name = admin) => mysqld.connect(name, testPasswords[name]),
    async dispose() {
      await instance.close();
      await mysqld.dispose();
    },
  };
}

/** To make users takes longer than to start mysqld. */
function preparedData(): Promise<string> {
  return keptData("prepared-data", async () => {
    const mysqld = await startMysqld();
    const root = await mysqld.connect();
    await root.query("SET sql_log_bin = OFF");
    await root.query("SET GLOBAL super_read_only = OFF");
    await ensureUsers(root, testPasswords);
    await ensurePlugins(root);
    await root.query("DROP USER root@localhost");
    await root.query("SHUTDOWN");
    await mysqld.ended;
    return mysqld.volumes;
  });
}

/** Side by side. */
export function startTestInstances(count: number, options?: MysqldOptions): Promise<TestInstance[]> {
  return Promise.all(Array.from({ length: count }, () => startTestInstance(options)));
}

/** Makes it as it was when it was started, which takes a tenth of the time. Its clients lose their connections. */
export async function resetTestInstance({ connect }: TestInstance): Promise<void> {
  const connection = await connect();
  const run = (statement: string) => connection.query<{ text: string }>(statement, [], { timeout: 5_000 });
  const each = async (statement: string) => {
    for (const { text } of await run(statement)) await run(text);
  };
  await run("SET SESSION sql_log_bin = OFF");
  await each(
    `SELECT CONCAT('KILL ', ID) AS text FROM information_schema.PROCESSLIST
     WHERE ID <> CONNECTION_ID() AND USER NOT IN ('system user', 'event_scheduler') AND COMMAND <> 'Daemon'`,
  );
  await run("SET GLOBAL rpl_semi_sync_source_enabled = OFF");
  await run("SET GLOBAL offline_mode = OFF");
  await run("STOP REPLICA");
  await run("RESET REPLICA ALL");
  await run("SET GLOBAL super_read_only = OFF");
  await each(
    `SELECT CONCAT('DROP DATABASE \`', REPLACE(SCHEMA_NAME, '\`', '\`\`'), '\`') AS text
     FROM information_schema.SCHEMATA
     WHERE SCHEMA_NAME NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')`,
  );
  await run("SET GLOBAL super_read_only = ON");
  await run("RESET BINARY LOGS AND GTIDS");
  await run("RESET PERSIST");
  await each(
    `SELECT CONCAT('SET GLOBAL ', name, ' = DEFAULT') AS text FROM (VALUES ROW('sync_relay_log'), ROW('replica_net_timeout'),
       ROW('rpl_semi_sync_source_timeout'), ROW('rpl_semi_sync_source_wait_for_replica_count'),
       ROW('rpl_semi_sync_replica_enabled')) AS settings (name)`,
  );
  await connection.close();
}

/** Lets the replicas follow and acknowledge, and opens the primary, which waits for `acknowledgements`. */
export async function replicate(
  primary: TestInstance,
  replicas: readonly TestInstance[],
  acknowledgements: number,
  signal: AbortSignal,
): Promise<void> {
  await primary.instance.enforceSettings(primary.uuid, signal);
  await primary.instance.requireAcknowledgements(primary.uuid, acknowledgements, signal);
  await Promise.all(
    replicas.map(async ({ instance, uuid }) => {
      await instance.enforceSettings(uuid, signal);
      await instance.attach(uuid, primary.source, signal);
      await instance.acknowledge(uuid, true, signal);
      await instance.startReplica(uuid, signal);
    }),
  );
  await primary.instance.open(primary.uuid, acknowledgements, signal);
}
