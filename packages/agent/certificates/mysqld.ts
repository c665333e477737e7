import { dataKeys } from "@moco-ts/api";
import type { Session } from "../mysql/session.ts";

/**
 * Lets mysqld take its own new certificate into use, if it has the one of the Pod. Who is connected stays so.
 * Returns whether it did.
 */
export async function reloadMysqldCertificate(admin: Session, timeout: number): Promise<boolean> {
  return admin.use(timeout, async (connection) => {
    const [row] = await connection.query<{ file: string | null }>("SELECT @@GLOBAL.ssl_cert AS file");
    if (!row?.file?.endsWith(`/${dataKeys.certificate}`)) return false;
    await connection.query("ALTER INSTANCE RELOAD TLS");
    return true;
  });
}
