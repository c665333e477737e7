import { containerNames, type MySQLCluster } from "@moco-ts/api";
import { podPaths } from "@moco-ts/mysql";

/** Directories in mysqld's container that only version 2 mounts something at. */
export interface OwnDirectories {
  /** The operator's programs. */
  readonly programs: string;
  readonly certificates: string;
}

/**
 * Where version 2 mounts what version 1 does not. Manifests that were written for version 1 may have something of their
 * own there, so another place is taken then.
 */
export function ownDirectories({ spec }: MySQLCluster): OwnDirectories {
  const mysqld = spec.podTemplate.spec.containers?.find(({ name }) => name === containerNames.mysqld);
  const taken = (mysqld?.volumeMounts ?? []).map(({ mountPath }) => (mountPath ?? "").replace(/\/+$/, ""));
  return { programs: freeDirectory("/moco", taken), certificates: freeDirectory(podPaths.certificates, taken) };
}

function freeDirectory(wanted: string, taken: readonly string[]): string {
  let free = wanted;
  const isTaken = (): boolean => taken.some((path) => path === free || path.startsWith(`${free}/`));
  for (let number = 2; isTaken(); number++) free = `${wanted}-${number}`;
  return free;
}
