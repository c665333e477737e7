import type { Connection } from "../connection/connection.ts";
import { GtidSet } from "../gtidset/gtidset.ts";
import { reservedUuid } from "./instance.ts";

/**
 * Commits an empty transaction under the reserved server_uuid. It waits for acknowledgements like every other, and with
 * its own come those of all before it. A connection that is given up keeps waiting on the server, so it must not be one
 * that holds a lock.
 */
export async function nudge(connection: Connection, signal: AbortSignal): Promise<void> {
  const [row] = await connection.query<{ executed: string; owned: string }>(
    "SELECT @@GLOBAL.gtid_executed AS executed, @@GLOBAL.gtid_owned AS owned",
    [],
    { signal },
  );
  const executed = GtidSet.parse(row!.executed).from([reservedUuid]).toString();
  // One that waits already is not executed yet, but its number is taken.
  const [owned = ""] = new RegExp(`${reservedUuid}(:\\d+#\\d+)+`, "i").exec(row!.owned) ?? [];
  const numbers = [/(\d+)$/.exec(executed), ...owned.matchAll(/:(\d+)#/g)].map((match) => Number(match?.[1] ?? 0));
  await connection.query(`SET SESSION gtid_next = '${reservedUuid}:${Math.max(...numbers) + 1}'`, [], { signal });
  await connection.query("COMMIT", [], { signal });
  await connection.query("SET SESSION gtid_next = AUTOMATIC", [], { signal });
}
