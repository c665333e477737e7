import { access, chown, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { connect } from "@moco-ts/mysql";
import { makeVolumes, runContainer, startContainer } from "@moco-ts/mysql/testing";

const programs = import.meta.dirname;
const flags = ["--data-dir=/var/lib/mysql", "--conf-dir=/etc/mysql-conf.d"];

async function setup(more: Record<string, string> = {}) {
  const volumes = await makeVolumes("data", "confD", "run");
  onTestFinished(() => rm(volumes.parent, { recursive: true, force: true }));
  const container = (...command: string[]) => ({
    command,
    volumes: {
      "/shared": programs,
      "/var/lib/mysql": volumes.data,
      "/etc/mysql-conf.d": volumes.confD,
      "/run": volumes.run,
      ...more,
    },
    environment: { POD_NAME: "moco-test-12" },
    hostNames: ["moco-test-12"],
  });
  return {
    volumes,
    data: (name: string) => join(volumes.data, name),
    /** moco-init with its usual flags and these. */
    init: (...more: string[]) => runContainer(container("/shared/moco-init", ...flags, ...more)),
    start: (...command: string[]) => startContainer(container(...command)),
  };
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** What a statement gives on a mysqld that serves the data directory. */
async function ask(pod: Awaited<ReturnType<typeof setup>>, statement: string, ...options: string[]) {
  const paths = ["--datadir=/var/lib/mysql/data", "--socket=/run/mysqld.sock", "--pid-file=/run/pid", "--tmpdir=/run"];
  const small = ["--mysqlx=OFF", "--skip-networking", "--secure-file-priv=NULL"];
  const mysqld = await pod.start("mysqld", "--no-defaults", ...paths, ...small, ...options);
  let ended = false;
  void mysqld.ended.then(() => (ended = true));
  const login = { user: "root", password: "", socketPath: join(pod.volumes.run, "mysqld.sock") };
  try {
    for (;;) {
      const connection = await connect(login).catch(() => undefined);
      if (connection !== undefined) return await connection.query(statement);
      if (ended) throw new Error(mysqld.output());
      await delay(20);
    }
  } finally {
    mysqld.signal("SIGKILL");
    await mysqld.ended;
  }
}

describe("the first start", () => {
  test("makes a data directory with time zones, as a user without a name, on a read-only root", async () => {
    const pod = await setup();
    const { code, output } = await pod.init("--init-timezones=true", "--lower-case-table-names", "1", "1000");
    expect(output).not.toContain("moco-init:");
    expect(code).toBe(0);
    expect((await readdir(pod.volumes.data)).toSorted()).toEqual(["data", "moco-initialized"]);
    expect(await readFile(join(pod.volumes.confD, "my.cnf"), "utf8")).toBe(
      "[mysqld]\nserver_id = 1012\nadmin_address = moco-test-12\n",
    );
    expect(await readdir(pod.volumes.confD)).toEqual(["my.cnf"]);
    const statement = "SELECT CONVERT_TZ('2026-07-01 12:00:00', 'UTC', 'Asia/Tokyo') AS tokyo";
    // mysqld refuses to start with another value than the one that the directory was made with.
    expect(await ask(pod, statement, "--lower-case-table-names=1")).toEqual([{ tokyo: "2026-07-01 21:00:00" }]);
  });

  test("without time zones there are none", async () => {
    const pod = await setup();
    expect((await pod.init("1")).code).toBe(0);
    expect(await ask(pod, "SELECT COUNT(*) AS zones FROM mysql.time_zone_name")).toEqual([{ zones: 0 }]);
  });
});

describe("later starts", () => {
  test("leave the data alone and write the options anew", async () => {
    const pod = await setup();
    await writeFile(pod.data("moco-initialized"), "");
    const { code } = await pod.init("--mysqld-localhost", "--init-timezones", "7");
    expect(code).toBe(0);
    expect(await exists(pod.data("data"))).toBe(false);
    expect(await readFile(join(pod.volumes.confD, "my.cnf"), "utf8")).toBe(
      "[mysqld]\nserver_id = 19\nadmin_address = localhost\n",
    );
  });

  test("start over after a crash in the middle, however often", async () => {
    const pod = await setup();
    // At different moments: when the directory is there, and when the system tables are.
    for (const milestone of ["data/ibdata1", "data/mysql.ibd"]) {
      const container = await pod.start("/shared/moco-init", ...flags, "1");
      while (!(await exists(pod.data(milestone)))) await delay(5);
      container.signal("SIGKILL");
      await container.ended;
      expect(await exists(pod.data("moco-initialized"))).toBe(false);
    }
    await writeFile(pod.data("data/left-behind"), "");
    expect((await pod.init("--init-timezones", "1")).code).toBe(0);
    expect(await exists(pod.data("data/left-behind"))).toBe(false);
    expect(await exists(pod.data("moco-initialized"))).toBe(true);
    const [row] = await ask(pod, "SELECT CONVERT_TZ('2026-07-01 12:00:00', 'UTC', 'Asia/Tokyo') AS tokyo");
    expect(row).toEqual({ tokyo: "2026-07-01 21:00:00" });
  });
});

describe("mistakes", () => {
  test.each([
    [["x"], "SERVER_ID_BASE is not a number"],
    [[], "one argument is needed: SERVER_ID_BASE"],
    [["1", "2"], "this is another: 2"],
    [["4294967290"], "server_id 4294967302 is over 4294967295"],
    [["--lower-case-table-names=3", "1"], '--lower-case-table-names is 0, 1 or 2, not "3"'],
    [["--init-timezones=perhaps", "1"], '--init-timezones is true or false, not "perhaps"'],
    [["--no-such", "1"], "unknown flag: --no-such"],
    [["1", "--data-dir"], "flag needs a value: --data-dir"],
  ])("%j: %s", async (arguments_, text) => {
    const pod = await setup();
    const { code, output } = await pod.init(...arguments_);
    expect(output).toContain(
      `moco-init: ${text.startsWith("this") ? "one argument is needed, SERVER_ID_BASE, and " : ""}${text}`,
    );
    expect(code).toBe(1);
    expect(await readdir(pod.volumes.data)).toEqual([]);
  });

  test("an image without the time zone program says so, and nothing is marked as done", async () => {
    const pod = await setup({ "/usr/bin/mysql_tzinfo_to_sql": join(programs, "package.json") });
    const { code, output } = await pod.init("--init-timezones", "1");
    expect(output).toContain("(initializeTimezoneData), but the image has no mysql_tzinfo_to_sql");
    expect(code).toBe(1);
    expect(await exists(pod.data("moco-initialized"))).toBe(false);
  });

  test("a full or read-only volume is an error, and nothing is marked as done", async () => {
    const pod = await setup();
    await chown(pod.volumes.data, 0, 0);
    const { code, output } = await pod.init("1");
    expect(output).toContain("moco-init: can't write to /var/lib/mysql");
    expect(code).toBe(1);
  });
});
