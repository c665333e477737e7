import { readFile } from "node:fs/promises";
import { inspect } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startMysqld, type Mysqld } from "../testing/index.ts";
import { connect, Secret } from "./connection.ts";
import { isAccessDenied, MysqlError } from "./errors.ts";

let mysqld: Mysqld;
beforeAll(async () => {
  mysqld = await startMysqld();
});
afterAll(() => mysqld.dispose());

async function open(options: { timeout?: number } = {}) {
  const connection = await connect({
    socketPath: mysqld.socketPath,
    user: "root",
    password: "",
    queryTimeout: options.timeout ?? 5_000,
  });
  onTestFinished(() => connection.close());
  return connection;
}

test("rows come as they are in MySQL: big integers and timestamps are exact", async () => {
  const connection = await open();
  const [row] = await connection.query(
    "SELECT 1 AS one, 9223372036854775807 AS big, TIMESTAMP'2026-01-02 03:04:05.678901' AS time, ? AS text",
    ["it's"],
  );
  expect(row).toEqual({ one: 1, big: "9223372036854775807", time: "2026-01-02 03:04:05.678901", text: "it's" });
});

test("a failed statement leaves the connection usable", async () => {
  const connection = await open();
  await expect(connection.query("SELECT * FROM no.such")).rejects.toMatchObject({
    code: "ER_BAD_DB_ERROR",
    number: 1049,
  });
  expect(connection.usable).toBe(true);
  expect(await connection.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
});

test("a connection is small: a controller has hundreds of them", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const heap = (): number => {
    collect();
    return process.memoryUsage().heapUsed / 1024;
  };
  await open();
  const before = heap();
  const count = 20;
  await Promise.all(Array.from({ length: count }, () => open()));
  expect((heap() - before) / count).toBeLessThan(100);
});

test("who is not let in learns so, and nothing of the password", async () => {
  const login = { user: "nobody", password: "swordfish", socketPath: mysqld.socketPath };
  const error: unknown = await connect(login).catch((thrown: unknown) => thrown);
  expect(isAccessDenied(error)).toBe(true);
  expect(inspect(error)).not.toContain("swordfish");
});

describe("secrets", () => {
  test("are not in a syntax error, which quotes the statement", async () => {
    const connection = await open();
    const error = (await connection
      .query("ALTER USER 'root'@'localhost' IDENTIFIED NONSENSE BY ?", [new Secret("swordfish")])
      .catch((thrown: unknown) => thrown)) as MysqlError;
    expect(error).toBeInstanceOf(MysqlError);
    expect(error.message).toContain("[redacted]");
    expect(inspect(error)).not.toContain("swordfish");
    expect(error.cause).toBeUndefined();
  });
});

describe("deadlines", () => {
  test("a statement that takes too long loses its connection", async () => {
    const connection = await open({ timeout: 200 });
    await expect(connection.query("SELECT SLEEP(30)")).rejects.toMatchObject({
      code: "DEADLINE_EXCEEDED",
      message: expect.stringContaining("SELECT SLEEP on mysqld at") as string,
    });
    expect(connection.usable).toBe(false);
    await expect(connection.query("SELECT 1")).rejects.toMatchObject({ code: "PROTOCOL_CONNECTION_LOST" });
  });

  test("an abort ends a statement at once", async () => {
    const connection = await open();
    const controller = new AbortController();
    const query = connection.query("SELECT SLEEP(30)", [], { signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(query).rejects.toThrow("enough");
  });

  test("a frozen mysqld takes connections and never greets: that ends too", async () => {
    const connection = await open({ timeout: 300 });
    await mysqld.freeze();
    try {
      const start = performance.now();
      await expect(connection.query("SELECT 1")).rejects.toMatchObject({ code: "DEADLINE_EXCEEDED" });
      const target = { host: "127.0.0.1", port: mysqld.port, user: "root", password: "" };
      await expect(connect({ ...target, connectTimeout: 300 })).rejects.toThrow(/connecting to mysqld at 127.0.0.1/);
      // Far more than both limits, for a busy machine.
      expect(performance.now() - start).toBeLessThan(10_000);
    } finally {
      mysqld.signal("SIGCONT");
    }
    expect(await (await open()).query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });
});

test("a mysqld that was killed is noticed by the next statement, and one that came back can be used", async () => {
  const connection = await open();
  await mysqld.kill();
  await expect(connection.query("SELECT 1")).rejects.toBeInstanceOf(MysqlError);
  await expect(open()).rejects.toMatchObject({ code: "ECONNREFUSED" });
  await mysqld.start();
  await mysqld.ready();
  expect(await (await open()).query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
});

test("TLS with the server's own certificate, checked against its authority", async () => {
  const authorities = await readFile(`${mysqld.volumes.data}/data/ca.pem`, "utf8");
  const root = await open();
  await root.query("SET GLOBAL super_read_only = OFF");
  await root.query("CREATE USER tls@'%' IDENTIFIED BY 'x' REQUIRE SSL");
  const target = { host: "127.0.0.1", port: mysqld.port, user: "tls", password: "x" };
  // MySQL's own certificate names no host.
  await expect(connect({ ...target, tls: { authorities } })).rejects.toThrow(/127.0.0.1|altname|does not match/i);
  await expect(connect(target)).rejects.toSatisfy(isAccessDenied);
});
