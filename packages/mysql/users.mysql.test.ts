import { expect, onTestFinished, test } from "vitest";
import { allMysqlUsers } from "@moco-ts/api";
import { activePlugins, ensurePlugins, semiSyncNames } from "./plugins.ts";
import { startMysqld } from "./testing/index.ts";
import { ensureUsers, userGrants } from "./users.ts";

const passwords = (suffix: string) => Object.fromEntries(allMysqlUsers.map(({ name }) => [name, `${name}${suffix}`]));

async function writableMysqld() {
  const mysqld = await startMysqld();
  onTestFinished(() => mysqld.dispose());
  const connection = await mysqld.connect();
  await connection.query("SET GLOBAL read_only = OFF");
  return { mysqld, connection };
}

test("there are grants for every user", () => {
  expect(userGrants.map(({ user }) => user).toSorted()).toEqual(allMysqlUsers.map(({ name }) => name).toSorted());
});

test("users get their privileges and passwords, and a second time the new passwords", async () => {
  const { mysqld, connection } = await writableMysqld();
  await ensureUsers(connection, passwords("-old"));
  await ensureUsers(connection, passwords(""));
  for (const { name } of allMysqlUsers) await (await mysqld.connect(name, name)).close();
  const privilegesOf = async (user: string): Promise<string[]> => {
    const rows = await connection.query<{ PRIVILEGE_TYPE: string }>(
      "SELECT PRIVILEGE_TYPE FROM information_schema.USER_PRIVILEGES WHERE GRANTEE = ? AND PRIVILEGE_TYPE <> 'USAGE' ORDER BY 1",
      [`'${user}'@'%'`],
    );
    return rows.map((row) => row.PRIVILEGE_TYPE);
  };
  for (const { user, privileges } of userGrants.filter((each) => each.user !== "moco-admin")) {
    expect(await privilegesOf(user), user).toEqual(privileges.toSorted());
  }
  const writable = await mysqld.connect("moco-writable", "moco-writable");
  await expect(writable.query("DELETE FROM mysql.user")).rejects.toMatchObject({ code: "ER_TABLEACCESS_DENIED_ERROR" });
  const admin = await mysqld.connect("moco-admin", "moco-admin");
  await admin.query("GRANT PROXY ON 'moco-readonly'@'%' TO 'moco-writable'@'%'");
});

test("plugins are installed by the names that this MySQL has, once", async () => {
  const { connection } = await writableMysqld();
  expect(semiSyncNames(await activePlugins(connection))).toBeUndefined();
  expect(await ensurePlugins(connection)).toBe("source/replica");
  expect(await ensurePlugins(connection)).toBe("source/replica");
  const active = await activePlugins(connection);
  expect(["rpl_semi_sync_source", "rpl_semi_sync_replica", "clone"].every((name) => active.has(name))).toBe(true);
});

test("one of two plugins, left by a crash, is completed", async () => {
  const { connection } = await writableMysqld();
  await connection.query("INSTALL PLUGIN rpl_semi_sync_source SONAME 'semisync_source.so'");
  expect(await ensurePlugins(connection)).toBe("source/replica");
  expect((await activePlugins(connection)).has("rpl_semi_sync_replica")).toBe(true);
});

test("instances with the old names keep them", () => {
  expect(semiSyncNames(new Set(["rpl_semi_sync_slave", "clone"]))).toBe("master/slave");
});
