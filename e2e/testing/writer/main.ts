/**
 * A client that writes rows through the primary Service for as long as it runs, and prints a line for each: which row,
 * when, and whether mysqld has acknowledged it. A row that was not acknowledged may be there or not; it is not tried again.
 */
import { connect, type Connection } from "@moco-ts/mysql";

const { HOST: host = "", PASSWORD: password = "", WRITERS: writers = "2" } = process.env;
const pause = 20;
let next = Date.now();

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function open(): Promise<Connection> {
  const login = { user: "moco-writable", password };
  return connect({ host, port: 3306, ...login, connectTimeout: 500, queryTimeout: 2_000 });
}

async function write(): Promise<never> {
  let connection: Connection | undefined;
  for (;;) {
    const id = next++;
    try {
      connection ??= await open();
      await connection.query("INSERT INTO ledger.rows (id) VALUES (?)", [id]);
      print({ at: Date.now(), id, acknowledged: true });
    } catch (error) {
      connection?.destroy();
      connection = undefined;
      print({ at: Date.now(), id, acknowledged: false, problem: String(error) });
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

async function prepare(): Promise<void> {
  for (;;) {
    try {
      const connection = await open();
      await connection.query("CREATE DATABASE IF NOT EXISTS ledger");
      // A row that came twice would be there twice.
      await connection.query(
        "CREATE TABLE IF NOT EXISTS ledger.rows (place BIGINT AUTO_INCREMENT PRIMARY KEY, id BIGINT NOT NULL)",
      );
      return await connection.close();
    } catch (error) {
      print({ at: Date.now(), waiting: String(error) });
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

// The only process of its container: nobody else would end it.
process.on("SIGTERM", () => process.exit(0));
await prepare();
await Promise.all(Array.from({ length: Number(writers) }, write));
