import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ControlPlanePorts } from "../control-plane/ports.ts";
import { stateDirectory } from "../system/state.ts";

/** Everything that must be known to find, repair and remove a cluster. It is written before anything else is made. */
export interface ClusterDefinition {
  name: string;
  /** True: etcd and API server with the controllers on the loopback address, no node, no root. */
  controlPlaneOnly: boolean;
  auditLog: boolean;
  /** 0 if controlPlaneOnly. */
  nodes: number;
  /** The N of 10.N.0.0/16. 0 if controlPlaneOnly. */
  networkNumber: number;
  ports: ControlPlanePorts;
  /** Program name to path. */
  binaries: Record<string, string>;
}

export const defaultClusterName = "moco";

export function assertClusterName(name: string): void {
  if (!/^[a-z][a-z0-9-]{0,19}$/.test(name) || name.endsWith("-")) {
    throw new Error(`"${name}" can't name a cluster: use up to 20 letters a-z, digits and dashes, a letter first`);
  }
}

export function clusterDirectory(name: string): string {
  return join(stateDirectory(), "clusters", name);
}

export async function loadDefinition(name: string): Promise<ClusterDefinition | undefined> {
  assertClusterName(name);
  try {
    return JSON.parse(await readFile(join(clusterDirectory(name), "cluster.json"), "utf8")) as ClusterDefinition;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return undefined;
    }
    throw error;
  }
}

export async function saveDefinition(definition: ClusterDefinition): Promise<ClusterDefinition> {
  const directory = clusterDirectory(definition.name);
  await mkdir(directory, { recursive: true });
  const path = join(directory, "cluster.json");
  // Whole or not at all: an interrupted `up` must leave a file that `down` can read.
  await writeFile(`${path}.new`, `${JSON.stringify(definition, undefined, 2)}\n`);
  await rename(`${path}.new`, path);
  return definition;
}

/** The names of all clusters of this machine, also of those that are only half up or half down. */
export async function clusterNames(): Promise<string[]> {
  try {
    return (await readdir(join(stateDirectory(), "clusters"))).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return [];
    }
    throw error;
  }
}
