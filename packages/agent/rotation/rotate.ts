import { rename } from "node:fs/promises";
import type { Session } from "../mysql/session.ts";

/**
 * Sets the slow query log aside as NAME.0, in place of the one before, and lets mysqld begin a new one. If it is aside
 * already, since mysqld could not be asked the last time, only that is left to do.
 */
export async function rotateSlowLog(file: string, session: Session, timeout: number): Promise<void> {
  await rename(file, `${file}.0`).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  await session.use(timeout, (connection) => connection.query("FLUSH LOCAL SLOW LOGS"));
}
