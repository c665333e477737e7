import { dataKeys } from "@moco-ts/api";
import { isAbort, retry, type Clock, type Logger } from "@moco-ts/base";
import type { Session } from "../mysql/session.ts";

export interface ReloadOptions {
  readonly admin: Session;
  /** Milliseconds for one try. */
  readonly timeout: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Lets mysqld take its own certificate into use as it is now, if it has the one of the Pod. Who is connected stays so. A
 * mysqld that does not answer is asked again until it does. Never rejects.
 */
export async function reloadMysqldCertificate(options: ReloadOptions, signal: AbortSignal): Promise<void> {
  const { admin, timeout, clock, logger } = options;
  const onRetry = (error: unknown): void => logger.warn("mysqld did not take its certificate into use yet", { error });
  try {
    await retry({ initial: 1_000, maximum: 30_000, clock, signal, onRetry }, () =>
      admin.use(timeout, async (connection) => {
        const [row] = await connection.query<{ file: string | null }>("SELECT @@GLOBAL.ssl_cert AS file");
        if (row?.file?.endsWith(`/${dataKeys.certificate}`)) await connection.query("ALTER INSTANCE RELOAD TLS");
      }),
    );
  } catch (error) {
    // Nothing but the end of the agent gets here.
    if (!isAbort(error, signal)) logger.error("mysqld's certificate could not be looked after", { error });
  }
}
