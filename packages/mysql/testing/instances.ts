/** For tests: instances as their agents prepare them, and clusters of them that replicate. */
import { allMysqlUsers, mysqlUsers } from "@moco-ts/api";
import type { Connection } from "../connection/connection.ts";
import { MysqlInstance } from "../instance/mysql-instance.ts";
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
  dispose(): Promise<void>;
}

/** Another operator's view of the same instance. */
export function instanceOf(mysqld: Mysqld): MysqlInstance {
  return new MysqlInstance({
    host: "127.0.0.1",
    port: mysqld.adminPort,
    login: async () => ({ user: admin, password: testPasswords[admin]! }),
  });
}

/** With users and plugins, read-only, and nothing in its binary log. */
export async function startTestInstance(options: MysqldOptions = {}): Promise<TestInstance> {
  const mysqld = await startMysqld({ ...options, data: await preparedData(), login: { user: admin, password: admin } });
  const instance = instanceOf(mysqld);
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
      await instance.startApplier(uuid, signal);
      await instance.startReceiver(uuid, signal);
    }),
  );
  await primary.instance.open(primary.uuid, signal);
}
