import { existsSync } from "node:fs";
import { readdir, readFile, readlink, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { podNetworkName } from "../node/files.ts";
import { clusterGroup, killGroup, removeGroup } from "../system/cgroups.ts";
import { whyNoNode } from "../system/environment.ts";
import { detachBelow, mountsBelow, unmountBelow } from "../system/mounts.ts";
import { reportToStderr, type Report } from "../system/report.ts";
import { clusterDirectory, defaultClusterName, loadDefinition, type ClusterDefinition } from "./definition.ts";
import { withClusterLock } from "./lock.ts";
import { deleteNetwork } from "./namespaces.ts";
import { allProcesses, clusterProcesses } from "./processes.ts";
import { Progress } from "./progress.ts";

export interface DownOptions {
  /** Default: standard error. */
  report?: Report;
}

/** Removes a cluster and all that it left on the machine. It is no error if there is none. */
export async function down(name: string = defaultClusterName, options: DownOptions = {}): Promise<void> {
  const { report = reportToStderr } = options;
  await withClusterLock(name, report, async () => {
    const definition = await loadDefinition(name);
    if (definition === undefined) {
      report(`there is no cluster ${name}`);
      return;
    }
    const reason = definition.controlPlaneOnly ? undefined : whyNoNode();
    if (reason !== undefined) {
      throw new Error(reason);
    }
    const progress = new Progress(report);
    await endProcesses(definition);
    progress.done("processes ended");
    if (!definition.controlPlaneOnly) {
      await removeNodes(definition);
      progress.done("mounts, loop devices, control groups and network removed");
    }
    await removeDirectory(definition);
    progress.done(`the cluster ${name} is gone`);
  });
}

async function endProcesses(definition: ClusterDefinition): Promise<void> {
  if (!definition.controlPlaneOnly) {
    // Not only the processes that we know: containers, their shims, and whatever else was started by them.
    await killGroup(clusterGroup(definition.name));
  }
  for (const process of allProcesses(clusterProcesses(definition)).toReversed()) {
    await process.stop("SIGKILL");
  }
}

async function removeNodes(definition: ClusterDefinition): Promise<void> {
  const { name } = definition;
  const directory = clusterDirectory(name);
  await removeShimSockets(directory);
  await unmountBelow(directory);
  await detachBelow(directory);
  await deleteNetwork(definition);
  await removeGroup(clusterGroup(name));
  await removeLogLinks(directory);
  await removeNetworkResults(name);
}

/** containerd puts the sockets of its shims into a folder of the whole machine. */
async function removeShimSockets(directory: string): Promise<void> {
  for (const node of await listDirectory(join(directory, "nodes"))) {
    const tasks = join(directory, "nodes", node, "containerd", "state", "io.containerd.runtime.v2.task", "k8s.io");
    for (const task of await listDirectory(tasks)) {
      const file = join(tasks, task, "address");
      if (existsSync(file)) {
        await rm((await readFile(file, "utf8")).replace(/^unix:\/\//, ""), { force: true });
      }
    }
  }
}

/** The kubelet makes a link in this folder for every container, whatever its own directory is. */
async function removeLogLinks(directory: string): Promise<void> {
  const folder = "/var/log/containers";
  for (const entry of await listDirectory(folder)) {
    const target = await readlink(join(folder, entry)).catch(() => "");
    if (target.startsWith(`${directory}/`)) {
      await rm(join(folder, entry), { force: true });
    }
  }
}

/** libcni keeps what it did for each container in a folder of the whole machine. */
async function removeNetworkResults(name: string): Promise<void> {
  const folder = "/var/lib/cni/results";
  for (const entry of await listDirectory(folder)) {
    if (entry.startsWith(podNetworkName(name, "node-"))) {
      await rm(join(folder, entry), { force: true });
    }
  }
}

async function removeDirectory({ name }: ClusterDefinition): Promise<void> {
  const directory = clusterDirectory(name);
  const mounts = await mountsBelow(directory);
  if (mounts.length > 0) {
    throw new Error(`still mounted: ${mounts.join(", ")}`);
  }
  // The definition goes last: until then `down` can be repeated.
  for (const entry of await listDirectory(directory)) {
    if (entry !== "cluster.json") {
      await rm(join(directory, entry), { recursive: true, force: true });
    }
  }
  await rm(directory, { recursive: true, force: true });
  // The folders above it, as long as they are empty.
  for (const parent of [dirname(directory), dirname(dirname(directory))]) {
    await rmdir(parent).catch(() => {
      // Another cluster, or something that is not ours, is in it.
    });
  }
}

async function listDirectory(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return [];
    }
    throw error;
  }
}
