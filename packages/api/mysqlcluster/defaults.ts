import { finalizer } from "../group.ts";
import { numberOf } from "../validation/reading.ts";
import type { MySQLCluster } from "./types.ts";

/** A random whole number from 0 up to, but not including, the limit: `randomInt` of node:crypto. */
export type RandomInteger = (limit: number) => number;

/** server_ids have 32 bits: up to here, those of all instances fit. */
const serverIdBases = 2 ** 30;

/**
 * A new cluster as it is stored: with our finalizer, and with a base for its server_ids that hardly any other cluster
 * has. All other defaults are in the schema. The given object is left as it is.
 */
export function defaultMySQLCluster(cluster: MySQLCluster, randomInteger: RandomInteger): MySQLCluster {
  const finalizers = cluster.metadata?.finalizers;
  const present = Array.isArray(finalizers) ? finalizers : [];
  const metadata = {
    ...cluster.metadata,
    finalizers: present.includes(finalizer) ? present : [...present, finalizer],
  };
  const { spec } = cluster;
  if (typeof spec !== "object" || spec === null || Array.isArray(spec)) return { ...cluster, metadata };
  const given = spec.serverIDBase ?? 0;
  if (given !== 0) return { ...cluster, metadata };
  return { ...cluster, metadata, spec: { ...spec, serverIDBase: 1 + numberOf(randomInteger(serverIdBases)) } };
}
