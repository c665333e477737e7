import type { Connection } from "./connection/connection.ts";
import { errorNumbers, isMysqlError } from "./connection/errors.ts";

/** How this instance calls the two sides of semi-sync replication; the old and the new names can't be mixed. */
export type SemiSyncNames = "source/replica" | "master/slave";

interface Plugin {
  readonly name: string;
  readonly library: string;
}

const semiSyncPlugins: Readonly<Record<SemiSyncNames, readonly Plugin[]>> = {
  "master/slave": [
    { name: "rpl_semi_sync_master", library: "semisync_master.so" },
    { name: "rpl_semi_sync_slave", library: "semisync_slave.so" },
  ],
  "source/replica": [
    { name: "rpl_semi_sync_source", library: "semisync_source.so" },
    { name: "rpl_semi_sync_replica", library: "semisync_replica.so" },
  ],
};
const clonePlugin: Plugin = { name: "clone", library: "mysql_clone.so" };

/**
 * Installs semi-sync replication and clone unless they are. The instance must be writable for this user.
 *
 * Where both pairs of semi-sync plugins are to be had, the old one is taken: it is what clusters have that exist.
 */
export async function ensurePlugins(connection: Connection, signal?: AbortSignal): Promise<SemiSyncNames> {
  const active = await activePlugins(connection, signal);
  const names = semiSyncNames(active);
  let chosen: SemiSyncNames;
  if (names !== undefined) chosen = names;
  else chosen = (await canInstall(connection, "master/slave", signal)) ? "master/slave" : "source/replica";
  for (const plugin of [...semiSyncPlugins[chosen], clonePlugin]) {
    if (!active.has(plugin.name)) await install(connection, plugin, signal);
  }
  return chosen;
}

export async function activePlugins(connection: Connection, signal?: AbortSignal): Promise<Set<string>> {
  const statement = "SELECT PLUGIN_NAME AS name FROM information_schema.PLUGINS WHERE PLUGIN_STATUS = 'ACTIVE'";
  const rows = await connection.query<{ name: string }>(statement, [], { signal });
  return new Set(rows.map(({ name }) => name));
}

/** By which names semi-sync replication goes here; undefined if it is not installed. */
export function semiSyncNames(active: ReadonlySet<string>): SemiSyncNames | undefined {
  const pairs = Object.entries(semiSyncPlugins) as [SemiSyncNames, readonly Plugin[]][];
  return pairs.find(([, plugins]) => plugins.some(({ name }) => active.has(name)))?.[0];
}

/** Tries it with the first plugin of the pair, which is installed then. */
async function canInstall(connection: Connection, names: SemiSyncNames, signal?: AbortSignal): Promise<boolean> {
  try {
    await install(connection, semiSyncPlugins[names][0]!, signal);
    return true;
  } catch (error) {
    if (isMysqlError(error, errorNumbers.cannotOpenLibrary)) return false;
    throw error;
  }
}

async function install(connection: Connection, { name, library }: Plugin, signal?: AbortSignal): Promise<void> {
  try {
    await connection.query(`INSTALL PLUGIN ${name} SONAME ?`, [library], { signal });
  } catch (error) {
    if (!isMysqlError(error, errorNumbers.alreadyInstalled)) throw error;
  }
}
